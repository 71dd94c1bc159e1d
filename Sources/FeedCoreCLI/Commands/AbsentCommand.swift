#if !Remote || !Server
  import ArgumentParser

  /// A command that the program was built without, and which says so in place of being unknown.
  protocol AbsentCommand: ParsableCommand {
    /// The package trait with which it would be there.
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

  /// `feedcore load` where there is none.
  struct AbsentLoadCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "load", shouldDisplay: false)
    static let trait = "Remote"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore comments` where there is none.
  struct AbsentCommentsCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "comments", shouldDisplay: false)
    static let trait = "Remote"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore serve` where there is none.
  struct AbsentServeCommand: AbsentCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)
    static let trait = "Server"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }
#endif
