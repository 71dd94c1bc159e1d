/// A hint for when ArgumentParser treats a name, a key or a value as an option. It does so with
/// every word that begins with a hyphen, and reports that something else is missing.
struct HyphenHint {
  let text: String

  /// Nil if no word can have been misinterpreted.
  ///
  /// - Parameters:
  ///   - words: the parsed words
  ///   - message: the error message
  init?(on words: CommandWords, _ message: String) {
    guard message.hasPrefix("Error: Missing") || message.hasPrefix("Error: Unknown option") else {
      return nil
    }
    let (command, all) = (words.command, words.words)
    guard
      let index = all.prefix(while: { $0 != "--" }).firstIndex(where: Self.mayBeNoOption)
    else { return nil }
    let word = all[index]
    let advice: String
    if let option = all[..<index].last, message.contains("value for '\(option)") {
      advice = "a value that begins with a hyphen stands behind an equals sign: \(option)=\(word)"
    } else {
      // The other words are not repeated: one of them may be a header field.
      let example =
        ["feedcore"] + command + (index > command.endIndex ? ["…"] : []) + ["--", word]
        + (index < all.count - 1 ? ["…"] : [])
      advice = "what is none stands behind --: \(example.joined(separator: " "))"
    }
    text = "Hint:  '\(word)' is taken for an option; \(advice)"
  }

  private static func mayBeNoOption(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.count > 1
  }
}
