import Foundation
import TestSupport

/// Tries to make the store lose data or serve wrong data. Run it with `scripts/torture`.
@main
enum FeedCoreTorture {
  private static let usage = """
    usage: FeedCoreTorture [PART…] [--size ci|full] [--seed N] [--self-test yes]
             [--place NAME] [--replay DIRECTORY]
             --feedcore FILE --preload FILE --root DIRECTORY --findings DIRECTORY
           FeedCoreTorture child PART WORD…

    """

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "child" { runChild(words.dropFirst()) }
    guard let run = TortureRun(words) else {
      FileHandle.standardError.write(Data((usage + "parts: \(names)\n").utf8))
      exit(64)
    }
    exit(run.isSelfTest ? run.selfTest() : run.run())
  }

  private static var names: String {
    tortureParts.map { part in part.name }.joined(separator: " ")
  }

  private static func runChild(_ words: ArraySlice<String>) -> Never {
    do {
      guard let part = tortureParts.first(where: { $0.name == words.first }) else {
        throw TortureFailure("there is no such part: \(words.first ?? "")")
      }
      try part.child(Array(words.dropFirst()))
      exit(0)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }
}
