import ArgumentParser
import FeedCore
import FeedTools

/// `feedcore check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Prove payloads without storing anything.",
    discussion: """
      With --kind json each file must be exactly one JSON text (RFC 8259), whatever it holds. \
      A bad file does not keep the others from being proved.
      """)

  @Argument(
    help: ArgumentHelp("JSON or NDJSON files; - is standard input.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("What the records are.", valueName: "kind"))
  var kind = CheckKind.payload(.automatic)

  @Flag(help: "Print one JSON object a line for each file.")
  var json = false

  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let output = Output.standard()
    var worst = ExitStatus.success
    for file in files {
      do throws(JSONError) {
        let found = try prove(file)
        output.write(json ? line(file, found).text + [0x0A] : Array(sentence(file, found).utf8))
      } catch {
        // In order with the lines of the other files, where both go to one terminal.
        output.drain()
        Failure(error).report()
        if json { output.write(line(file, error).text + [0x0A]) }
        worst = Self.worse(worst, Failure(error).status)
      }
      output.drain()
    }
    try output.finish()
    if worst != .success { throw Failure(worst) }
  }

  private typealias Found = (kind: String, records: Int?)

  private func prove(_ file: String) throws(JSONError) -> Found {
    switch kind {
    case .json:
      try FeedDatabase.checkText(file, limits: limits.limits)
      return ("json", nil)
    case .payload(let kind):
      let found = try FeedDatabase.check(file, schema: kind.schema, limits: limits.limits)
      return (found.kind, found.records)
    }
  }

  private func sentence(_ file: String, _ found: Found) -> String {
    var parts = ["valid", found.kind]
    if let records = found.records {
      parts.append("\(ReadableNumber.grouped(records)) \(records == 1 ? "record" : "records")")
    }
    return "\(TerminalText.escaped(file)): \(parts.joined(separator: ", "))\n"
  }

  private func line(_ file: String, _ found: Found) -> JSONLine {
    var line = JSONLine()
    line.add("file", file)
    line.add("valid", true)
    line.add("kind", found.kind)
    line.add("records", found.records)
    return line
  }

  private func line(_ file: String, _ error: JSONError) -> JSONLine {
    var place = JSONLine()
    place.add("kind", error.kind.rawValue)
    place.addPlace(of: error)
    var line = JSONLine()
    line.add("file", file)
    line.add("valid", false)
    line.add("kind", kind.name)
    line.add("records", Int?.none)
    line.add("error", place)
    return line
  }

  // Bad data is what was asked about; a file that could not be read comes after it.
  private static func worse(_ left: ExitStatus, _ right: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [.badData, .failedIO, .noInput]
    return order.first { $0 == left || $0 == right } ?? right
  }
}
