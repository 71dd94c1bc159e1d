#if !Remote || !Server
  import ArgumentParser

  /// A command that this build lacks. It reports the missing trait instead of an unknown command.
  protocol AbsentCommand: ParsableCommand {
    /// The package trait that provides the command.
    static var trait: String { get }
  }

  extension AbsentCommand {
    func run() throws {
      let name = Self.configuration.commandName ?? ""
      throw Failure(
        .usage,
        "'\(name)' is not in this program, which was built without the package trait \(Self.trait)")
    }
  }

  /// `feedcore load` in a build without it.
  struct AbsentLoadCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "load", shouldDisplay: false)
    static let trait = "Remote"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore comments` in a build without it.
  struct AbsentCommentsCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "comments", shouldDisplay: false)
    static let trait = "Remote"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore serve` in a build without it.
  struct AbsentServeCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)
    static let trait = "Server"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }
#endif
