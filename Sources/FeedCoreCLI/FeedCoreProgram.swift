import ArgumentParser
import FeedTools
import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The entry point of the program, and the only place where it exits.
@main
enum FeedCoreProgram {
  static func main() {
    StandardStreams.prepare()
    MemoryWatch.returnLargeBlocks()
    exit(run())
  }

  private static func run() -> Int32 {
    CompletionRequest.prepare(Array(CommandLine.arguments.dropFirst()))
    do throws(Failure) {
      try Preflight.verify()
      let arguments = CommandArguments(Array(CommandLine.arguments.dropFirst()))
      do {
        try arguments.verifyHelp()
        var command = try FeedCoreCommand.parseAsRoot(arguments.all)
        if let status = try NumberedChild.run() { return status }
        try command.run()
      } catch {
        guard let failure = Failure(known: error) else {
          return try end(with: error, arguments).rawValue
        }
        throw failure
      }
      return ExitStatus.success.rawValue
    } catch {
      error.report()
      return error.status.rawValue
    }
  }

  /// Help, the version and wrong usage: ArgumentParser provides their texts and codes.
  private static func end(
    with error: any Error, _ arguments: CommandArguments
  ) throws(Failure) -> ExitStatus {
    let status = ExitStatus(rawValue: FeedCoreCommand.exitCode(for: error).rawValue) ?? .failedIO
    let output = status == .success ? Output.standard() : Output(STDERR_FILENO, name: "stderr")
    let message = FeedCoreCommand.fullMessage(for: error)
    if !message.isEmpty { output.write(message + "\n") }
    if status == .usage,
      let hint = CommandHint(on: arguments)?.text ?? HyphenHint(on: arguments, message)?.text
    {
      output.write(TerminalText.escaped(hint) + "\n")
    }
    try output.finish()
    return status
  }
}
