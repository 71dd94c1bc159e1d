#if Server
  // `HELP` of the commands with subcommands, which the error for an unknown subcommand names.
  extension RESPConnection {
    func answerHelp(_ command: RESPCommand) -> RESPOutcome {
      let lines =
        ["\(command.name.uppercased()) <subcommand> [<arg> ...]. Subcommands are:"]
        + Self.subcommands(of: command).flatMap { [$0.usage, "    " + $0.summary] }
        + ["HELP", "    Print this help."]
      output.array(lines.count)
      for line in lines { output.simple(word: line) }
      return .answered
    }

    private static func subcommands(
      of command: RESPCommand
    ) -> [(usage: String, summary: String)] {
      switch command {
      case .client:
        [
          ("GETNAME", "Return the name of the current connection."),
          ("ID", "Return the ID of the current connection."),
          ("INFO", "Return information about the current connection."),
          ("LIST", "Return information about the connections, at most 1000."),
          ("SETINFO <option> <value>", "Set LIB-NAME or LIB-VER of the current connection."),
          ("SETNAME <name>", "Assign a name to the current connection."),
        ]
      case .command:
        [
          ("(no subcommand)", "Return details about all commands."),
          ("COUNT", "Return the number of commands."),
          ("DOCS [<name> ...]", "Return documentation of the commands, or of all."),
          ("INFO [<name> ...]", "Return details about the commands, or about all."),
          ("LIST", "Return the names of all commands."),
        ]
      case .config:
        [("GET <pattern> [<pattern> ...]", "Return the parameters whose names match a pattern.")]
      default: []
      }
    }
  }
#endif
