import ArgumentParser
import FeedTools

/// `feedcore sample`
struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Write a realistic payload of any size to standard output.",
    discussion: "The same options give the same bytes, always.")

  @Option(help: ArgumentHelp("What the records are.", valueName: "kind"))
  var kind: SamplePayload.Kind

  @Option(help: ArgumentHelp("How many records.", valueName: "n"))
  var records: Int

  @Option(help: ArgumentHelp("Another number gives other records.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How to write them.", valueName: "format"))
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
