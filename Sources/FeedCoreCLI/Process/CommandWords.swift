import ArgumentParser

/// The arguments of the command line, adapted for ArgumentParser.
struct CommandWords {
  let words: [String]

  /// - Parameter given: the arguments after the name of the program.
  init(_ given: [String]) {
    words = Self.joiningNegativeNumbers(given)
  }

  /// ArgumentParser shows the help for the words that it knows and ignores the rest.
  ///
  /// - Throws: wrong usage if help is requested for an unknown command
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

  /// The leading words that name a command.
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

  // ArgumentParser treats a word with a hyphen as an option, and the option before it as one
  // without a value.
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
