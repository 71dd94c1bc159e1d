import ArgumentParser
import FeedTools
import JSONStream

extension BenchCommand {
  /// `feedcore bench ingest`
  struct Ingest: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ingest",
      abstract: "Measure an ingest against proving the file and against writing to the disk.",
      discussion: """
        Into temporary stores below $TMPDIR, which should lie on the disk in question. Seconds \
        are those of the best round; the ratio is that of the median round to the slower of the \
        other two, with what half of the rounds lie between. The bound of an ingest is its own \
        processor time divided by the processors, or writing, whichever is longer.
        """)

    @Argument(help: ArgumentHelp("A payload.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Print the seconds and their ratio as one JSON object.")
    var json = false

    func validate() throws {
      try GivenPath.refuseEmpty([file], "<file>")
      guard file != "-" else {
        throw ValidationError("standard input can be read only once; name a file")
      }
    }

    func run() throws {
      let summary = IngestBenchSummary(result: try measure(), file: file)
      let output = Output.standard()
      if json { output.write(summary.json.text + [0x0A]) } else { output.write(summary.text) }
      try output.finish()
    }

    private func measure() throws(Failure) -> IngestBenchmark.Result {
      Interruption.install()
      do {
        return try IngestBenchmark(path: file).run(isCancelled: { Interruption.isRequested })
      } catch {
        if Interruption.isRequested { throw .interrupted }
        throw Failure(ofBenchmark: error)
      }
    }
  }
}
