import ArgumentParser
import FeedCore

/// Which records a command reads, and which of their values it prints.
struct QueryOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only records that meet this condition, such as 'size >= 10'. May be given several times.",
      valueName: "condition"),
    completion: .path)
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "The values to print, by their paths, as in name,address.city.", valueName: "paths"),
    completion: .paths)
  var fields: String?

  /// Explains conditions and paths in the help of a command.
  static let discussion = """
    A condition is a path, one of the operators = != < <= > >= ~ !~ in exists !exists, and a value. A path \
    is a.b, a[0], a[].b for any element, "a.b" for a key with a dot, or a JSON Pointer such as \
    /a/b. The value 1 is also 1.0 and the string "1"; in quotes, "1" or '1', it is a string only. ~ finds a \
    text in a string, in any case of its letters. Of an array, each element is compared. Equality on the key or \
    an indexed field (ingest --index) is looked up; every other condition reads all records.
    """

  /// The values to print; nil for whole records.
  func selectedFields(of feed: Feed) throws(QueryError) -> QueryFields? {
    guard let fields else { return nil }
    let selected = try QueryFields(fields)
    try feed.checkFields(selected)
    return selected
  }
}
