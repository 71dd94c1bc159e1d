import ArgumentParser
import FeedTools
import JSONStream

/// `feedcore bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure against other programs, in one run on the same data.",
    discussion: """
      EXAMPLES:
        feedcore bench parse universities.json
        feedcore bench ingest universities.json
      """,
    subcommands: [Parse.self, Read.self, Ingest.self])

  /// `feedcore bench parse`
  struct Parse: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "parse",
      abstract: "Measure parsing: bare YAJL, FeedCore, and JSONDecoder into structs.",
      discussion: """
        Speeds are those of the best run, in megabytes (10^6 bytes) a second. The CPU time is the \
        median of five runs.

        Records of a built-in kind are measured as such, and others as documents, as by ingest.

        EXAMPLES:
          feedcore bench parse universities.json
          feedcore bench parse universities.json --json | jq .lanesOverYajl
          feedcore bench parse events.ndjson --documents
        """)

    @OptionGroup var payload: BenchFile

    @Flag(help: "Read the records as documents, as ingest does with --kind json.")
    var documents = false

    @Flag(help: "Print the speeds and their ratios as one JSON object.")
    var json = false

    func run() throws {
      let result = try ParseBenchmark(path: payload.file, asDocuments: documents).run()
      try ParseBenchSummary(result: result, file: payload.file).print(asJSON: json)
    }
  }
}

/// The file of a benchmark that reads it several times.
struct BenchFile: ParsableArguments {
  @Argument(help: ArgumentHelp("A payload.", valueName: "file"), completion: .file())
  var file: String

  func validate() throws {
    try GivenPath.refuseEmpty([file], "<file>")
    guard file != "-" else {
      throw ValidationError("standard input can be read only once; name a file")
    }
  }
}

/// The output of a benchmark.
protocol BenchSummary {
  var text: String { get }
  var json: JSONLine { get }
}

extension BenchSummary {
  func print(asJSON: Bool) throws(Failure) {
    let output = Output.standard()
    if asJSON { output.write(json) } else { output.write(text) }
    try output.finish()
  }
}

/// One line of the output of `bench`: a name, a number with its unit, and ratios.
struct BenchLine {
  private static let nameColumns = 24
  private static let numberColumns = 7

  let name: String
  let number: String
  let unit: String
  var remarks: [String] = []

  var text: String {
    let nameColumn = name + String(repeating: " ", count: max(Self.nameColumns - name.count, 0))
    let padding = String(repeating: " ", count: max(Self.numberColumns - number.count, 0))
    let remarks = remarks.map { "  \($0)" }.joined()
    return "\(nameColumn)\(padding)\(number) \(unit)\(remarks)\n"
  }
}

extension BenchLine {
  /// `1.62 x (1.58 to 1.70)`
  static func ratio(_ ratio: Double, _ spread: (from: Double, to: Double)) -> String {
    let fixed = { (number: Double) in ReadableNumber.fixed(number, decimals: 2) }
    return "\(fixed(ratio)) x (\(fixed(spread.from)) to \(fixed(spread.to)))"
  }
}

/// The output of `bench parse`.
struct ParseBenchSummary: BenchSummary {
  let result: ParseBenchmark.Result
  let file: String

  var text: String {
    let records = ReadableNumber.grouped(result.records)
    var text =
      "\(TerminalText.escaped(file)): \(result.kind), \(records) records, "
      + "\(ReadableNumber.bytes(result.bytes))\n"
    text += line("YAJL alone", result.yajl, [])
    text += line(
      "FeedCore, one lane", result.oneLane,
      [("YAJL", result.yajl), ("JSONDecoder", result.jsonDecoder)])
    text +=
      BenchLine(
        name: "One lane, CPU time", number: ReadableNumber.fixed(oneLaneCPUOverYAJL, decimals: 2),
        unit: "x YAJL"
      ).text
    text +=
      "Records validated by replay \(ReadableNumber.grouped(result.validation.replayed)), by YAJL"
      + " \(ReadableNumber.grouped(result.validation.judged)), by YAJL with new steps"
      + " \(ReadableNumber.grouped(result.validation.learned))\n"
    text += line(
      "FeedCore, \(result.laneCount) lanes", result.lanes,
      [("YAJL", result.yajl), ("JSONDecoder", result.jsonDecoder)])
    if let decoder = result.jsonDecoder { text += line("JSONDecoder", decoder, []) }
    text += line("Input validation alone", 1000 * result.inputValidation, [])
    text += line("The splitter alone", 1000 * result.splitter, [])
    return text
  }

  var json: JSONLine {
    var line = JSONLine()
    line.add("yajlMBps", result.yajl, decimals: 1)
    line.add("oneLaneMBps", result.oneLane, decimals: 1)
    line.add("lanes", result.laneCount)
    line.add("lanesMBps", result.lanes, decimals: 1)
    line.add("jsonDecoderMBps", result.jsonDecoder, decimals: 1)
    line.add("oneLaneOverYajl", Self.ratio(result.oneLane, result.yajl), decimals: 3)
    line.add("oneLaneCPUOverYajl", oneLaneCPUOverYAJL, decimals: 3)
    line.add("replayed", result.validation.replayed)
    line.add("learned", result.validation.learned)
    line.add("judged", result.validation.judged)
    line.add("lanesOverYajl", Self.ratio(result.lanes, result.yajl), decimals: 3)
    line.add("inputValidationGBps", result.inputValidation, decimals: 3)
    line.add("splitterGBps", result.splitter, decimals: 3)
    line.add("lanesOverJSONDecoder", Self.ratio(result.lanes, result.jsonDecoder), decimals: 3)
    return line
  }

  // The processor time of YAJL over that of one lane.
  private var oneLaneCPUOverYAJL: Double { 1 / result.oneLaneProcessorTime.ratio }

  private static func ratio(_ speed: Double, _ peer: Double?) -> Double? {
    guard let peer, peer > 0 else { return nil }
    return speed / peer
  }

  private func line(_ name: String, _ speed: Double, _ peers: [(String, Double?)]) -> String {
    let ratios = peers.compactMap { peer in
      Self.ratio(speed, peer.1).map { "\(ReadableNumber.fixed($0, decimals: 2)) x \(peer.0)" }
    }
    return BenchLine(
      name: name, number: ReadableNumber.fixed(speed, decimals: 0), unit: "MB/s", remarks: ratios
    ).text
  }
}
