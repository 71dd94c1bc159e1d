/// What helps where ArgumentParser has taken a word for an option that was meant for a name, a key or
/// a value: it does so with all that begins with a hyphen, and says that something else is missing.
struct HyphenHint {
  let text: String

  /// Nil where no word can have been misunderstood.
  ///
  /// - Parameters:
  ///   - words: what was parsed
  ///   - message: what is said to be wrong with it
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
      // Others are not repeated: a header field may be among them.
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
