import ArgumentParser

/// The words of the command line, as ArgumentParser understands what people mean by them.
struct CommandWords {
  let words: [String]

  /// - Parameter given: what stands behind the name of the program.
  init(_ given: [String]) {
    words = Self.joiningNegativeNumbers(given)
  }

  /// ArgumentParser shows the help of as many words as it knows, whatever stands behind them.
  ///
  /// - Throws: wrong usage where help is asked for on what is no command
  func verifyHelp() throws {
    guard words.first == "help" else { return }
    var command: any ParsableCommand.Type = FeedCoreCommand.self
    for word in words.dropFirst() where word != "help" && !word.hasPrefix("-") {
      guard let next = Self.subcommand(word, of: command) else {
        throw ValidationError("Unexpected argument '\(word)'")
      }
      command = next
    }
  }

  /// The words in front that name a command.
  var command: ArraySlice<String> {
    var command: any ParsableCommand.Type = FeedCoreCommand.self
    return words.prefix { word in
      guard let next = Self.subcommand(word, of: command) else { return false }
      command = next
      return true
    }
  }

  private static func subcommand(
    _ word: String, of command: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { $0.configuration.commandName == word }
  }

  // It takes a word with a hyphen for an option, and the option before it for one without a value.
  private static func joiningNegativeNumbers(_ given: [String]) -> [String] {
    var words: [String] = []
    for (index, word) in given.enumerated() {
      if word == "--" { return words + given[index...] }
      if let option = words.last, option.hasPrefix("--"), !option.contains("="),
        isNegativeNumber(word)
      {
        words[words.count - 1] = "\(option)=\(word)"
      } else {
        words.append(word)
      }
    }
    return words
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
    return second == "." || ("0"..."9").contains(second)
  }
}
