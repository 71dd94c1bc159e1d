import ArgumentParser
import FeedTools
import JSONStream

/// `feedcore bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure against peers, in one run on the same data.",
    subcommands: [Parse.self, Read.self, Ingest.self])

  /// `feedcore bench parse`
  struct Parse: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "parse",
      abstract: "Measure parsing: bare YAJL, FeedCore, and JSONDecoder into structs.",
      discussion: """
        The best of several runs counts, in megabytes (10^6 bytes) a second; of CPU time, the \
        median of five.
        """)

    @Argument(help: ArgumentHelp("A payload.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Print the speeds and their ratios as one JSON object.")
    var json = false

    func validate() throws {
      try GivenPath.refuseEmpty([file], "<file>")
      guard file != "-" else {
        throw ValidationError("standard input can be read only once; name a file")
      }
    }

    func run() throws {
      let summary = BenchSummary(result: try measure(), file: file)
      let output = Output.standard()
      if json { output.write(summary.json.text + [0x0A]) } else { output.write(summary.text) }
      try output.finish()
    }

    private func measure() throws(Failure) -> ParseBenchmark.Result {
      do throws(JSONError) {
        return try ParseBenchmark(path: file).run()
      } catch {
        throw Failure(error)
      }
    }
  }
}
