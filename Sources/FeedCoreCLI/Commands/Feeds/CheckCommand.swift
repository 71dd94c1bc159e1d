import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validate payloads without storing anything.",
    discussion: """
      With --kind json each file must be exactly one JSON text (RFC 8259) of any content. \
      After a bad file the others are still validated.

      EXAMPLES:
        feedcore check universities.json news.json
        curl -s https://example.com/feed.json | feedcore check -
        # One JSON text of any content:
        feedcore check --kind json characters.json
        # Exit code 65, and the position of the first error:
        feedcore check bad.json
      """)

  @Argument(
    help: ArgumentHelp(
      "JSON or NDJSON files, also compressed by gzip or zstd; - is standard input.",
      valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("The kind of the records.", valueName: "kind"))
  var kind = CheckKind.payload(.automatic)

  @Flag(help: "Print one JSON object a line for each file.")
  var json = false

  @OptionGroup(title: "Parsing") var parsing: ParsingOptions

  func validate() throws {
    try GivenPath.refuseEmpty(files, "<file>")
    try GivenPath.refuseRepeatedInput(files)
    if isText, let option = parsing.givenForRecords.first {
      throw ValidationError("\(option) applies to records; remove it, or --kind json")
    }
  }

  func run() throws {
    let output = Output.standard()
    var worst = ExitStatus.success
    for file in files {
      let report = report(on: file)
      if let error = report.error {
        // Keeps the order with the lines of the other files if both streams go to one terminal.
        output.drain()
        Failure(error).report()
        worst = Self.worse(worst, Failure(error).status)
      } else if !json {
        output.write(sentence(file, report))
      }
      if json { output.write(line(file, report)) }
      output.drain()
    }
    try output.finish()
    if worst != .success { throw Failure(worst) }
  }

  private var isText: Bool {
    if case .json = kind { true } else { false }
  }

  private func report(on file: String) -> CheckReport {
    switch kind {
    case .json: CheckReport(ofText: file, options: parsing.options)
    case .payload(let kind):
      CheckReport(
        ofPayload: file, schema: kind.schema, options: parsing.options,
        dates: parsing.dates ?? .strict)
    }
  }

  private func sentence(_ file: String, _ report: CheckReport) -> String {
    let name = FileContents.name(of: file)
    var parts = ["valid", report.kind ?? "json"]
    if !isText { parts.append(ReadableNumber.counted(report.records, "record")) }
    if report.oddURLs > 0 {
      parts.append(ReadableNumber.counted(report.oddURLs, "URL") + " not absolute")
    }
    return "\(TerminalText.escaped(name)): \(parts.joined(separator: ", "))\n"
  }

  private func line(_ file: String, _ report: CheckReport) -> JSONLine {
    var line = JSONLine()
    line.add("file", FileContents.name(of: file))
    line.add("valid", report.error == nil)
    line.add("kind", isText ? "json" : report.kind)
    line.add("records", isText ? nil : report.records)
    line.add("oddURLs", isText ? nil : report.oddURLs)
    guard let error = report.error else { return line }
    var details = JSONLine()
    details.add("kind", error.kind.rawValue)
    details.addPosition(of: error)
    details.addDetails(of: error)
    line.add("error", details)
    return line
  }

  // Invalid data takes precedence over a file that could not be read.
  private static func worse(_ left: ExitStatus, _ right: ExitStatus) -> ExitStatus {
    let order: [ExitStatus] = [.badData, .failedIO, .noInput]
    return order.first { $0 == left || $0 == right } ?? right
  }
}
