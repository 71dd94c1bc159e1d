import ArgumentParser
import FeedTools
import JSONStream

extension BenchCommand {
  /// `feedcore bench ingest`
  struct Ingest: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ingest",
      abstract: "Measure an ingest against validating the file and against writing to the disk.",
      discussion: """
        The stores are temporary, below $TMPDIR, which should be on the measured disk. Seconds are \
        those of the best round. The ratio compares the median round with the slower of validating \
        and writing; half of the rounds are in the range after it. The bound of an ingest is its \
        own processor time divided by the processors, or writing, whichever is longer.

        EXAMPLES:
          feedcore bench ingest universities.json
        """)

    @OptionGroup var payload: BenchFile

    @Flag(help: "Print the seconds and their ratio as one JSON object.")
    var json = false

    func run() throws {
      Interruption.install()
      do {
        let result = try IngestBenchmark(path: payload.file).run(
          isCancelled: { Interruption.isRequested })
        try IngestBenchSummary(result: result, file: payload.file).print(asJSON: json)
      } catch {
        throw Interruption.isRequested ? Failure.interrupted : Failure(any: error)
      }
    }
  }
}

/// The output of `bench ingest`.
struct IngestBenchSummary: BenchSummary {
  let result: IngestBenchmark.Result
  let file: String

  var text: String {
    let records = ReadableNumber.grouped(result.records)
    var text =
      "\(TerminalText.escaped(file)): \(result.kind), \(records) records, "
      + "\(ReadableNumber.bytes(result.bytes))\n"
    text += seconds(
      "Ingest", result.ingest.bestOurs,
      ["\(BenchLine.ratio(result.ingest.ratio, result.ingest.spread)) the slower one's time"])
    text += seconds(
      "  its processor time", result.processorTime,
      ["\(BenchLine.ratio(result.bound.ratio, result.bound.spread)) a core's share or writing"])
    text += seconds("  after the last byte", result.afterReading, [])
    text += seconds("Validating the file", result.check, [])
    text += seconds(
      "C write and fsync", result.write, ["\(ReadableNumber.bytes(result.grownBytes))"])
    let stored = ReadableNumber.fixed(perRecord(result.storedBytes), decimals: 1)
    let bare = ReadableNumber.fixed(perRecord(result.bareBytes), decimals: 1)
    text +=
      BenchLine(
        name: "Stored", number: stored, unit: "bytes a record",
        remarks: ["\(ReadableNumber.fixed(storedOverBare, decimals: 3)) x its bare \(bare)"]
      ).text
    return text
  }

  var json: JSONLine {
    var line = JSONLine()
    line.add("records", result.records)
    line.add("bytes", result.bytes)
    line.add("ingestSeconds", result.ingest.bestOurs, decimals: 4)
    line.add("afterReadingSeconds", result.afterReading, decimals: 4)
    line.add("checkSeconds", result.check, decimals: 4)
    line.add("writeSeconds", result.write, decimals: 4)
    line.add("ingestOverSlower", result.ingest.ratio, decimals: 3)
    line.add("processorSeconds", result.processorTime, decimals: 4)
    line.add("ingestOverBound", result.bound.ratio, decimals: 3)
    line.add("grownBytes", result.grownBytes)
    line.add("storedBytesARecord", perRecord(result.storedBytes), decimals: 2)
    line.add("bareBytesARecord", perRecord(result.bareBytes), decimals: 2)
    line.add("storedOverBare", storedOverBare, decimals: 3)
    return line
  }

  private var storedOverBare: Double {
    Double(result.storedBytes) / Double(max(result.bareBytes, 1))
  }

  private func perRecord(_ bytes: Int) -> Double { Double(bytes) / Double(max(result.records, 1)) }

  private func seconds(_ name: String, _ seconds: Double, _ remarks: [String]) -> String {
    BenchLine(
      name: name, number: ReadableNumber.fixed(seconds, decimals: 3), unit: "s", remarks: remarks
    ).text
  }
}
