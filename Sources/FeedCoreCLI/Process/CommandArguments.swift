import ArgumentParser

/// The arguments of the command line, adapted for ArgumentParser.
struct CommandArguments {
  let all: [String]

  /// - Parameter given: the arguments after the name of the program.
  init(_ given: [String]) {
    all = Self.completingWait(Self.joiningNegativeNumbers(given))
  }

  /// Rejects help for an unknown command. ArgumentParser would show the help for the words that it
  /// knows and ignore the rest.
  ///
  /// - Throws: wrong usage if help is requested for an unknown command
  func verifyHelp() throws {
    guard all.first == "help" else { return }
    var command: any ParsableCommand.Type = FeedCoreCommand.self
    for word in all.dropFirst() where word != "help" && !word.hasPrefix("-") {
      guard let next = Self.subcommand(word, of: command) else {
        throw ValidationError("Unexpected argument '\(word)'")
      }
      command = next
    }
  }

  /// The leading words that name a command.
  var command: ArraySlice<String> {
    var command: any ParsableCommand.Type = FeedCoreCommand.self
    return all.prefix { word in
      guard let next = Self.subcommand(word, of: command) else { return false }
      command = next
      return true
    }
  }

  /// The first word in the position of a command that names no command, with the valid names; nil
  /// if there is no such word.
  var unknownCommand: (word: String, names: [String])? {
    var command: any ParsableCommand.Type = FeedCoreCommand.self
    for word in all.first == "help" ? all.dropFirst() : all[...] {
      if let next = Self.subcommand(word, of: command) {
        command = next
        continue
      }
      let names = command.configuration.subcommands.compactMap { subcommand in
        let configuration = subcommand.configuration
        return configuration.shouldDisplay ? configuration.commandName : nil
      }
      return names.isEmpty || word.hasPrefix("-") ? nil : (word, names)
    }
    return nil
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

  // ArgumentParser would use the word after an option with an optional value as that value.
  private static func completingWait(_ words: [String]) -> [String] {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    return words[..<end].map { $0 == "--wait" ? "--wait=\(FeedWaitLimit.unlimited)" : $0 }
      + words[end...]
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
    return second == "." || ("0"..."9").contains(second)
  }
}

/// A hint for when ArgumentParser treats a name, a key or a value as an option. It does so with
/// every word that begins with a hyphen, and reports that something else is missing.
struct HyphenHint {
  let text: String

  /// Nil if no word can have been misinterpreted.
  ///
  /// - Parameters:
  ///   - arguments: the parsed arguments
  ///   - message: the error message
  init?(on arguments: CommandArguments, _ message: String) {
    guard message.hasPrefix("Error: Missing") || message.hasPrefix("Error: Unknown option") else {
      return nil
    }
    let (command, all) = (arguments.command, arguments.all)
    guard
      let index = all.prefix(while: { $0 != "--" }).firstIndex(where: Self.mayBeNoOption)
    else { return nil }
    let word = all[index]
    let advice: String
    if let option = all[..<index].last, message.contains("value for '\(option)") {
      advice = "to use it as a value, write an equals sign: \(option)=\(word)"
    } else {
      // The other words are not repeated: one of them may be a header field.
      let example =
        ["feedcore"] + command + (index > command.endIndex ? ["…"] : []) + ["--", word]
        + (index < all.count - 1 ? ["…"] : [])
      advice = "otherwise write -- before it: \(example.joined(separator: " "))"
    }
    text = "Hint:  '\(word)' is read as an option; \(advice)"
  }

  private static func mayBeNoOption(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.count > 1
  }
}
