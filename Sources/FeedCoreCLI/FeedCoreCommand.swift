import ArgumentParser

/// The root of the command line.
struct FeedCoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedcore",
    abstract: "Turns JSON payloads into published, memory-mapped feeds, and reads them.",
    discussion: """
      The store is the directory of --store, else $FEEDCORE_STORE, else feedcore in the XDG cache \
      directory.

      Exit codes: 0 success; 1 no record with that key; 64 wrong usage; 65 bad data; 66 no such \
      input, feed or image; 69 no connection to the service; 74 input, output or store failure; \
      75 busy, or not the generation that was wanted; 130 interrupted.
      """,
    version: Version.text,
    subcommands: remote + server + [
      IngestCommand.self, CheckCommand.self, FeedsCommand.self, ShowCommand.self,
      GetCommand.self, DetailCommand.self, ExportCommand.self, DeleteCommand.self,
      ValidateCommand.self, StoreCommand.self, ImagesCommand.self, SampleCommand.self,
      BenchCommand.self,
    ])

  private static var remote: [any ParsableCommand.Type] {
    #if Remote
      [LoadCommand.self, CommentsCommand.self]
    #else
      [AbsentLoadCommand.self, AbsentCommentsCommand.self]
    #endif
  }

  private static var server: [any ParsableCommand.Type] {
    #if Server
      [ServeCommand.self]
    #else
      [AbsentServeCommand.self]
    #endif
  }
}
