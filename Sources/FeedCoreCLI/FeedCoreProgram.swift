import ArgumentParser
import FeedTools

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where the program begins, and the one place where it ends.
@main
enum FeedCoreProgram {
  static func main() {
    StandardStreams.prepare()
    MemoryWatch.returnLargeBlocks()
    exit(run().rawValue)
  }

  private static func run() -> ExitStatus {
    do {
      var command = try FeedCoreCommand.parseAsRoot()
      try command.run()
      return .success
    } catch let failure as Failure {
      failure.report()
      return failure.status
    } catch {
      // Help, the version and wrong usage: ArgumentParser prints them and knows their codes.
      FeedCoreCommand.exit(withError: error)
    }
  }
}
