public import ArgumentParser
public import FeedCore

/// How a document is read.
struct ParsingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Threads that prove records. By default one a core, at most \(JSONOptions.maximumLanes).",
      valueName: "n"))
  var lanes: Int?

  @Option(
    help: ArgumentHelp(
      "What half of a surrogate pair in an escape is taken for: error, or replace by U+FFFD.",
      valueName: "error|replace"))
  var surrogates = JSONOptions.LoneSurrogates.error

  @Option(
    help: ArgumentHelp(
      "Which value counts if a record has a key of its contract twice. By default the last.",
      valueName: "error|first|last"))
  var duplicateKeys: JSONOptions.DuplicateKeys?

  @Option(
    help: ArgumentHelp(
      "What a date does that is not ISO 8601 with a zone: it makes the record bad, or it is read"
        + " in other common forms. By default strict.",
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
extension PayloadParser.Dates: ExpressibleByArgument {}
