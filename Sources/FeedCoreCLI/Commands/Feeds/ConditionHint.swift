import FeedSchema

/// What a person may have meant by a condition that no record meets.
struct ConditionHint {
  /// `~ finds a text as it stands, and ^ and $ have no meaning in it`
  let text: String

  /// The hint for the first condition that has one; nil if none has.
  init?(on conditions: [String]) {
    guard let text = conditions.lazy.compactMap(Self.hint).first else { return nil }
    self.text = text
  }

  private static func hint(on text: String) -> String? {
    if let part = secondCondition(in: text, after: ["and", "AND", "&&"]) {
      return "a condition is one comparison; give '\(part)' with a --where of its own"
    }
    if secondCondition(in: text, after: ["or", "OR", "||"]) != nil {
      return "a condition is one comparison; for one of several values write path in a,b"
    }
    guard case .contains? = (try? QueryCondition(text))?.test,
      let value = text.split(separator: "~", maxSplits: 1).last
    else { return nil }
    let letters = value.filter { !"'\" ".contains($0) }
    guard letters.hasPrefix("^") || letters.hasSuffix("$") || letters.contains(".*") else {
      return nil
    }
    return "~ finds a text as it stands, and takes no pattern"
  }

  /// What follows one of the words, if it is a condition too.
  private static func secondCondition(in text: String, after words: [String]) -> String? {
    for word in words {
      for range in text.ranges(of: " \(word) ") {
        let parts = (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
        if (try? QueryCondition(parts.0)) != nil, (try? QueryCondition(parts.1)) != nil {
          return parts.1
        }
      }
    }
    return nil
  }
}
