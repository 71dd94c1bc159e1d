import ArgumentParser
import FeedSamples
import FeedTools

/// `feedcore sample`
struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write a realistic payload of any size to standard output.",
    discussion: """
      The same options always give the same bytes.

      EXAMPLES:
        feedcore sample --kind universities --records 1000 >sample.json
        feedcore sample --kind news --records 1000 | feedcore ingest - --feed sample
      """)

  @Option(help: ArgumentHelp("The kind of the records.", valueName: "kind"))
  var kind: SamplePayload.Kind

  @Option(help: ArgumentHelp("The number of records.", valueName: "n"))
  var records: Int

  @Option(help: ArgumentHelp("Another number gives other records.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The format.", valueName: "format"))
  var format = SamplePayload.Format.json

  func validate() throws {
    guard records >= 0 else { throw ValidationError("--records takes no negative number") }
  }

  func run() throws {
    let output = Output.standard()
    let sample = SamplePayload(kind: kind, records: records, seed: seed, format: format)
    do throws(Unwanted) {
      try sample.write { (bytes) throws(Unwanted) in
        output.write(bytes)
        guard output.isWritable else { throw Unwanted() }
      }
    } catch {
      // `finish` reports any failure of the output.
    }
    try output.finish()
  }

  /// The output is no longer writable.
  private struct Unwanted: Error {}
}
