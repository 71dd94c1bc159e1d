public import ArgumentParser
public import FeedCore

/// How a document is read.
struct ParsingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Threads that validate records. By default one a core, at most \(JSONOptions.maximumLanes).",
      valueName: "n"))
  var lanes: Int?

  @Option(
    help: ArgumentHelp(
      "Half of a surrogate pair in an escape: error rejects it, replace reads it as U+FFFD.",
      valueName: "error|replace"))
  var surrogates = JSONOptions.LoneSurrogates.error

  @Option(
    help: ArgumentHelp(
      "A repeated key of the contract: error rejects it, first or last selects the value. By default"
        + " last.",
      valueName: "error|first|last"))
  var duplicateKeys: JSONOptions.DuplicateKeys?

  @Option(
    help: ArgumentHelp(
      "Dates other than ISO 8601 with a zone: strict rejects the record, lenient accepts other"
        + " common forms. By default strict.",
      valueName: "strict|lenient"))
  var dates: PayloadParser.Dates?

  // For tests and measurements: the result never depends on it.
  @Option(help: .hidden)
  var validation: JSONOptions.Validation?

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    guard (1...JSONOptions.maximumLanes).contains(lanes ?? 1) else {
      throw ValidationError("--lanes takes 1 to \(JSONOptions.maximumLanes)")
    }
  }

  var options: JSONOptions {
    var options = JSONOptions()
    options.limits = limits.limits
    if let lanes { options.lanes = lanes }
    options.loneSurrogates = surrogates
    if let validation { options.validation = validation }
    if let duplicateKeys { options.duplicateKeys = duplicateKeys }
    return options
  }

  /// The given options that apply only to records.
  var givenForRecords: [String] {
    let all = [
      ("--lanes", lanes != nil), ("--duplicate-keys", duplicateKeys != nil),
      ("--dates", dates != nil),
    ]
    return all.filter(\.1).map(\.0) + limits.givenForRecords
  }
}

extension JSONOptions.LoneSurrogates: ExpressibleByArgument {}
extension JSONOptions.DuplicateKeys: ExpressibleByArgument {}
extension JSONOptions.Validation: ExpressibleByArgument {}

/// The parser's limits for a document. Byte counts are parsed by ``ByteCount``.
struct LimitOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The maximum size of a record. By default 16 MiB.", valueName: "bytes"))
  var maxRecordBytes: ByteCount?

  @Option(help: ArgumentHelp("The maximum depth of nesting.", valueName: "n"))
  var maxDepth = JSONLimits().depth

  @Option(
    help: ArgumentHelp(
      "The maximum size of a string. By default 16 MiB, or that of a record if it is larger.",
      valueName: "bytes"))
  var maxStringBytes: ByteCount?

  @Option(help: ArgumentHelp("The maximum size of a key.", valueName: "bytes"))
  var maxKeyBytes = ByteCount(JSONLimits().keyBytes)

  @Option(help: ArgumentHelp("The maximum size of a number.", valueName: "bytes"))
  var maxNumberBytes = ByteCount(JSONLimits().numberBytes)

  @Option(
    help: ArgumentHelp(
      "The maximum size of everything outside the array of records. By default 1 MiB.",
      valueName: "bytes"))
  var maxSiblingBytes: ByteCount?

  @Option(
    help: ArgumentHelp(
      "The maximum number of elements of a list. By default \(JSONLimits().listElements).",
      valueName: "n"))
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
