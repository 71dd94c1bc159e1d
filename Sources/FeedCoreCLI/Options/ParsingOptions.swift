public import ArgumentParser
public import FeedCore

/// How a document is read.
struct ParsingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Threads that prove records; by default one a core.", valueName: "n"))
  var lanes = JSONOptions().lanes

  @Option(
    help: ArgumentHelp(
      "What half of a surrogate pair in an escape is taken for: error, or replace by U+FFFD.",
      valueName: "error|replace"))
  var surrogates = JSONOptions.LoneSurrogates.error

  @Option(
    help: ArgumentHelp(
      "Which value counts if a record has a key of its contract twice.",
      valueName: "error|first|last"))
  var duplicateKeys = JSONOptions.DuplicateKeys.last

  @Option(
    help: ArgumentHelp(
      "What a date does that is not ISO 8601 with a zone: it makes the record bad, or it is read"
        + " in other common forms.",
      valueName: "strict|lenient"))
  var dates = CachePolicy.Dates.strict

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    guard (1...JSONOptions.maximumLanes).contains(lanes) else {
      throw ValidationError("--lanes takes 1 to \(JSONOptions.maximumLanes)")
    }
  }

  var options: JSONOptions {
    var options = JSONOptions()
    options.limits = limits.limits
    options.lanes = lanes
    options.loneSurrogates = surrogates
    options.duplicateKeys = duplicateKeys
    return options
  }
}

extension JSONOptions.LoneSurrogates: ExpressibleByArgument {}
extension JSONOptions.DuplicateKeys: ExpressibleByArgument {}
