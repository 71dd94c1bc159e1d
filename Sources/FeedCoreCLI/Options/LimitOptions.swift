import ArgumentParser
import FeedCore

/// What a document may ask of the parser.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most bytes that one record may have.", valueName: "bytes"))
  var maxRecordBytes = JSONLimits().recordBytes

  @Option(help: ArgumentHelp("The most brackets that may be open at once.", valueName: "n"))
  var maxDepth = JSONLimits().depth

  func validate() throws {
    guard (1...1 << 30).contains(maxRecordBytes) else {
      throw ValidationError("--max-record-bytes takes 1 to \(1 << 30)")
    }
    guard (1...10_000).contains(maxDepth) else {
      throw ValidationError("--max-depth takes 1 to 10000")
    }
  }

  var limits: JSONLimits {
    var limits = JSONLimits()
    limits.recordBytes = maxRecordBytes
    // A string is part of a record: whoever allows longer records allows longer strings.
    limits.stringBytes = max(limits.stringBytes, maxRecordBytes)
    limits.depth = maxDepth
    return limits
  }
}
