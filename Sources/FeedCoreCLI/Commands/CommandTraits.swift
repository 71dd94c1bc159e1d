/// The commands that need a package trait.
enum CommandTraits {
  /// The trait of each. Without its trait `images get` only reads stored images, and the others are
  /// absent. scripts/feedcore reads the names, each of which is on a line of its own.
  static let traits = [
    "comments": "Remote",
    "images get": "Remote",
    "images prefetch": "Remote",
    "load": "Remote",
    "serve": "Server",
    "store follow": "Cluster",
    "store repair": "Cluster",
  ]
}

#if !Remote || !Server || !Cluster
  import ArgumentParser

  /// A command that this build lacks. Help lists it, and running it reports the missing trait.
  protocol AbsentCommand: ParsableCommand {
    /// Its full name, as in `CommandTraits`.
    static var name: String { get }
    /// The abstract of the absent command.
    static var abstract: String { get }
  }

  extension AbsentCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: name.split(separator: " ").last.map(String.init),
        abstract: "\(abstract) Needs the package trait \(trait).")
    }

    private static var trait: String { CommandTraits.traits[name] ?? "" }

    func run() throws {
      throw Failure(
        .usage,
        "this program was built without the command '\(Self.name)'; build it with the package trait"
          + " \(Self.trait)")
    }
  }

  /// `feedcore load` in a build without it.
  struct AbsentLoadCommand: AbsentCommand {
    static let name = "load"
    static let abstract = "Load a feed from its service into the cache, else use the cached one."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore comments` in a build without it.
  struct AbsentCommentsCommand: AbsentCommand {
    static let name = "comments"
    static let abstract = "Load the comments on an image from their service, and print them."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore images prefetch` in a build without it.
  struct AbsentImagesPrefetchCommand: AbsentCommand {
    static let name = "images prefetch"
    static let abstract = "Fetch and store the images that a feed names."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore serve` in a build without it.
  struct AbsentServeCommand: AbsentCommand {
    static let name = "serve"
    static let abstract = "Serve the store over HTTP and RESP."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore store follow` in a build without it.
  struct AbsentStoreFollowCommand: AbsentCommand {
    static let name = "store follow"
    static let abstract = "Keep the near store of a cluster up to date."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }

  /// `feedcore store repair` in a build without it.
  struct AbsentStoreRepairCommand: AbsentCommand {
    static let name = "store repair"
    static let abstract = "Publish lost or damaged feeds of a cluster again."
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
  }
#endif
