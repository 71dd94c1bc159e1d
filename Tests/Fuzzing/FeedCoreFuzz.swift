import CFuzzDriver
import Foundation

/// Fuzzes the parser, the record views, the schema mapper, the finder of records and the decoders of
/// commands and replies. Run it with `scripts/fuzz`.
@main
enum FeedCoreFuzz {
  private static let usage = """
    usage: FeedCoreFuzz differential [--documents N] [--seed S] [--seconds T] [--first N]
                                     [--workers N] [--reports N] [--seeds DIRECTORY]
           FeedCoreFuzz replay [--records N] [the other options of differential]
           FeedCoreFuzz parser|record|mapper|document|resp|reply [libFuzzer's arguments]
           FeedCoreFuzz check FILE…
           FeedCoreFuzz corpus parser|record|mapper|document|resp|reply DIRECTORY [--seeds DIRECTORY]
    """

  @MainActor
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let options = FuzzOptions(words.dropFirst())
    switch words.first {
    case "differential":
      guard let options, options.rest.isEmpty else { break }
      exit(await Differential(options).run() ? 0 : 1)
    case "replay":
      guard let options, options.rest.isEmpty else { break }
      exit(await Differential(options, hasManyRecords: true).run() ? 0 : 1)
    case "check":
      guard let options, !options.rest.isEmpty else { break }
      exit(options.rest.map(check).max() ?? 0)
    case "corpus":
      guard let options, options.rest.count == 2 else { break }
      exit(writeCorpus(of: options.rest[0], to: options.rest[1], options))
    case "parser": runTarget { ParserTarget.enter($0, $1) }
    case "record": runTarget { RecordTarget.enter($0, $1) }
    case "mapper": runTarget { MapperTarget.enter($0, $1) }
    case "document": runTarget { DocumentTarget.enter($0, $1) }
    case "resp": runTarget { CommandTarget.enter($0, $1) }
    case "reply": runTarget { ReplyTarget.enter($0, $1) }
    default: break
    }
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(64)
  }

  // Checks any document, with the default limits and several chunk sizes.
  private static func check(_ path: String) -> CInt {
    guard let data = FileManager.default.contents(atPath: path) else {
      FileHandle.standardError.write(Data("\(path) cannot be read\n".utf8))
      return 66
    }
    for chunk in [1, 2, 3, 7, 100, 512, 4096] {
      var check = DocumentCheck([UInt8](data), limits: .standard, chunks: [chunk])
      check.run()
      guard check.differences.isEmpty else {
        print("DIFFERENCE in \(path):\n  " + check.differences.joined(separator: "\n  "))
        return 1
      }
    }
    print("\(path): no difference")
    return 0
  }

  // libFuzzer uses the name of the target as the program's name.
  private static func runTarget(
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> Never {
    let status = fuzzdriver_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1, target)
    if status >= 0 { exit(status) }
    FileHandle.standardError.write(
      Data("this binary was built without libFuzzer; scripts/fuzz builds one with it\n".utf8))
    exit(69)
  }

  private static func writeCorpus(
    of name: String, to directory: String, _ options: FuzzOptions
  ) -> CInt {
    let targets: [String: any FuzzTarget.Type] = [
      "parser": ParserTarget.self, "record": RecordTarget.self, "mapper": MapperTarget.self,
      "document": DocumentTarget.self, "resp": CommandTarget.self,
      "reply": ReplyTarget.self,
    ]
    guard let target = targets[name] else {
      FileHandle.standardError.write(Data("there is no target named \(name)\n".utf8))
      return 64
    }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      let inputs = target.corpus(SeedDocuments(directory: options.seedDirectory))
      for (number, input) in inputs.enumerated() {
        try Data(input).write(to: URL(fileURLWithPath: "\(directory)/seed-\(number)"))
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 74
    }
  }
}
