import FeedSchema

/// A hint on what a person may have meant by a condition that no record meets or that cannot be
/// parsed.
struct ConditionHint {
  /// `~ looks for these characters, and takes no pattern such as ^ or .*`
  let text: String

  /// The hint for the first condition that has one; nil if none has.
  init?(on conditions: [String]) {
    guard let text = conditions.lazy.compactMap(Self.hint).first else { return nil }
    self.text = text
  }

  private static func hint(on text: String) -> String? {
    if isJoined(text, by: ["and", "AND", "&&"]) {
      return
        "a condition is one comparison; if these are several, give each with a --where of its own"
    }
    if isJoined(text, by: ["or", "OR", "||"]) {
      return
        "conditions cannot be joined by or; to allow several values write, for example, type in x,y"
    }
    if text.contains(" in (") {
      return "the values of in have no parentheses; write, for example, type in x,y"
    }
    guard case .contains? = (try? QueryCondition(text))?.test,
      let value = text.split(separator: "~").last
    else { return nil }
    let pattern = value.filter { !"'\" ".contains($0) }
    guard pattern.hasPrefix("^") || pattern.hasSuffix("$") || pattern.contains(".*")
    else { return nil }
    return "~ looks for these characters, and takes no pattern such as ^ or .*"
  }

  /// Whether a text consists of several conditions that are joined by one of the words.
  private static func isJoined(_ text: String, by words: [String]) -> Bool {
    words.contains { word in
      let parts = text.split(separator: " \(word) ")
      return parts.count > 1 && parts.allSatisfy { (try? QueryCondition(String($0))) != nil }
    }
  }
}

extension Failure {
  /// A query that cannot be parsed, with a hint on what may have been meant.
  init(_ error: QueryError, in conditions: [String]) {
    let hint = ConditionHint(on: conditions).map { "; \($0.text)" } ?? ""
    self.init(.usage, error.description + hint)
  }
}
