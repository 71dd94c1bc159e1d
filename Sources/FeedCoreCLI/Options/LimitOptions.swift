import ArgumentParser
import FeedCore

/// The parser's limits for a document. Byte counts are parsed by ``ByteCount``.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The most bytes that one record may have. By default 16 MiB.", valueName: "bytes"))
  var maxRecordBytes: ByteCount?

  @Option(help: ArgumentHelp("The most brackets that may be open at once.", valueName: "n"))
  var maxDepth = JSONLimits().depth

  @Option(
    help: ArgumentHelp(
      "The most bytes of one string; by default 16 MiB, or what a record may have if that is more.",
      valueName: "bytes"))
  var maxStringBytes: ByteCount?

  @Option(help: ArgumentHelp("The most bytes of one key.", valueName: "bytes"))
  var maxKeyBytes = ByteCount(JSONLimits().keyBytes)

  @Option(help: ArgumentHelp("The most bytes of one number.", valueName: "bytes"))
  var maxNumberBytes = ByteCount(JSONLimits().numberBytes)

  @Option(
    help: ArgumentHelp(
      "The most bytes of what stands beside the array of records. By default 1 MiB.",
      valueName: "bytes"))
  var maxSiblingBytes: ByteCount?

  @Option(
    help: ArgumentHelp(
      "The most elements of one list. By default \(JSONLimits().listElements).", valueName: "n"))
  var maxListElements: Int?

  func validate() throws {
    guard (1...10_000).contains(maxDepth) else {
      throw ValidationError("--max-depth takes 1 to 10000")
    }
    let others = [
      ("--max-record-bytes", maxRecordBytes?.bytes ?? 1),
      ("--max-string-bytes", maxStringBytes?.bytes ?? 1), ("--max-key-bytes", maxKeyBytes.bytes),
      ("--max-number-bytes", maxNumberBytes.bytes),
      ("--max-sibling-bytes", maxSiblingBytes?.bytes ?? 1),
      ("--max-list-elements", maxListElements ?? 1),
    ]
    for (name, value) in others where !(1...1 << 30).contains(value) {
      throw ValidationError("\(name) takes 1 to \(1 << 30)")
    }
  }

  var limits: JSONLimits {
    var limits = JSONLimits()
    limits.depth = maxDepth
    if let maxRecordBytes { limits.recordBytes = maxRecordBytes.bytes }
    // A string is part of a record, so a higher limit for records raises that for strings.
    limits.stringBytes = maxStringBytes?.bytes ?? max(limits.stringBytes, limits.recordBytes)
    limits.keyBytes = maxKeyBytes.bytes
    limits.numberBytes = maxNumberBytes.bytes
    if let maxSiblingBytes { limits.siblingBytes = maxSiblingBytes.bytes }
    if let maxListElements { limits.listElements = maxListElements }
    return limits
  }

  /// The given options that apply only to records.
  var givenForRecords: [String] {
    let all = [
      ("--max-record-bytes", maxRecordBytes != nil),
      ("--max-sibling-bytes", maxSiblingBytes != nil),
      ("--max-list-elements", maxListElements != nil),
    ]
    return all.filter(\.1).map(\.0)
  }
}
