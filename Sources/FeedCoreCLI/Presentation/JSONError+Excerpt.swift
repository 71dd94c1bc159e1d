import FeedCore

extension JSONError {
  /// The excerpt and, below it, a caret under the fault, for a terminal, on which some characters
  /// occupy two columns; nil for an error without an excerpt.
  var excerptForTerminal: String? {
    guard !excerpt.isEmpty else { return nil }
    let column = TextWidth.of(String(excerpt.prefix(excerptCaret)))
    return excerpt + "\n" + String(repeating: " ", count: column) + "^"
  }
}
