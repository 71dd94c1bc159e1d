import ArgumentParser
import FeedCore

/// What a document may ask of the parser.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The most bytes that one record may have.", valueName: "bytes"))
  var maxRecordBytes = JSONLimits().recordBytes

  @Option(help: ArgumentHelp("The most brackets that may be open at once.", valueName: "n"))
  var maxDepth = JSONLimits().depth

  @Option(
    help: ArgumentHelp(
      "The most bytes of one string; by default 16 MiB, or what a record may have if that is more.",
      valueName: "bytes"))
  var maxStringBytes: Int?

  @Option(help: ArgumentHelp("The most bytes of one key.", valueName: "bytes"))
  var maxKeyBytes = JSONLimits().keyBytes

  @Option(help: ArgumentHelp("The most bytes of one number.", valueName: "bytes"))
  var maxNumberBytes = JSONLimits().numberBytes

  @Option(
    help: ArgumentHelp(
      "The most bytes of what stands beside the array of records.", valueName: "bytes"))
  var maxSiblingBytes = JSONLimits().siblingBytes

  @Option(help: ArgumentHelp("The most elements of one list.", valueName: "n"))
  var maxListElements = JSONLimits().listElements

  func validate() throws {
    guard (1...10_000).contains(maxDepth) else {
      throw ValidationError("--max-depth takes 1 to 10000")
    }
    let others = [
      ("--max-record-bytes", maxRecordBytes), ("--max-string-bytes", maxStringBytes ?? 1),
      ("--max-key-bytes", maxKeyBytes), ("--max-number-bytes", maxNumberBytes),
      ("--max-sibling-bytes", maxSiblingBytes), ("--max-list-elements", maxListElements),
    ]
    for (name, value) in others where !(1...1 << 30).contains(value) {
      throw ValidationError("\(name) takes 1 to \(1 << 30)")
    }
  }

  var limits: JSONLimits {
    var limits = JSONLimits()
    limits.depth = maxDepth
    limits.recordBytes = maxRecordBytes
    // A string is part of a record: whoever allows longer records allows longer strings.
    limits.stringBytes = maxStringBytes ?? max(limits.stringBytes, maxRecordBytes)
    limits.keyBytes = maxKeyBytes
    limits.numberBytes = maxNumberBytes
    limits.siblingBytes = maxSiblingBytes
    limits.listElements = maxListElements
    return limits
  }
}
