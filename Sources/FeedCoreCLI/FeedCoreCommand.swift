import ArgumentParser
import CFeedCore
import CLMDB
import CYajl

/// The root of the command line.
struct FeedCoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feedcore",
    abstract: "Turns JSON payloads into published, memory-mapped feeds, and reads them.",
    discussion: """
      The store is the directory of --store, else $FEEDCORE_STORE, else feedcore in the XDG cache \
      directory.

      On a terminal, headings of tables are emphasized unless $NO_COLOR has a value. Completions of \
      a shell offer the feeds of the store and the paths of their fields.

      Exit codes: 0 success; 1 no record with that key; 64 wrong usage; 65 bad data; 66 no such \
      input, feed or image; 69 no connection to the service; 74 input, output or store failure; \
      75 busy, or not the required generation; 130 interrupted.

      EXAMPLES:
        feedcore ingest universities.json
        feedcore get universities "Middle East Technical University"
        feedcore show universities --where country=Turkey --format ndjson | jq .name
        feedcore serve
        feedcore --generate-completion-script bash >feedcore.bash
      """,
    version: Version.text,
    subcommands: remote + server + [
      IngestCommand.self, CheckCommand.self, FeedsCommand.self, ShowCommand.self,
      GetCommand.self, DetailCommand.self, ExportCommand.self, SchemaCommand.self,
      DeleteCommand.self, ValidateCommand.self, StoreCommand.self, ImagesCommand.self,
      SampleCommand.self,
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

/// `feedcore schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Show the schemas of feeds.",
    discussion: """
      EXAMPLES:
        feedcore schema show universities --table
      """,
    subcommands: [SchemaShowCommand.self, SchemaInferCommand.self])
}

/// `feedcore store`
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Verify, copy, compact and restore the whole store.",
    discussion: """
      EXAMPLES:
        feedcore store check
        feedcore store backup backup-today
        feedcore store stats
      """,
    subcommands: cluster + [
      StoreCheckCommand.self, StoreCompactCommand.self, StoreBackupCommand.self,
      StoreRestoreCommand.self, StoreCopyCommand.self, StoreStatsCommand.self,
      StoreChildCommand.self,
    ])

  private static var cluster: [any ParsableCommand.Type] {
    #if Cluster
      [StoreFollowCommand.self, StoreRepairCommand.self]
    #else
      [AbsentStoreFollowCommand.self, AbsentStoreRepairCommand.self]
    #endif
  }
}

/// `feedcore images`
struct ImagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images",
    abstract: "Store images by URL, up to a cap of bytes.",
    discussion: """
      EXAMPLES:
        feedcore images put https://example.com/photo.png photo.png
        feedcore images get https://example.com/photo.png --output copy.png
        feedcore images list
      """,
    subcommands: remote + [
      ImagesPutCommand.self, ImagesGetCommand.self, ImagesListCommand.self,
      ImagesStatsCommand.self, ImagesRemoveCommand.self, ImagesSweepCommand.self,
      ImagesCapCommand.self,
    ])

  private static var remote: [any ParsableCommand.Type] {
    #if Remote
      [ImagesPrefetchCommand.self]
    #else
      [AbsentImagesPrefetchCommand.self]
    #endif
  }
}

/// The versions of the program and of the C libraries it runs on.
enum Version {
  /// The version in feedcore.h, shared with the C library.
  static let number = FEEDCORE_VERSION

  /// `FeedCore 0.1.0 (YAJL 2.1.0, LMDB 0.9.24)`, with the versions of the loaded libraries.
  static var text: String { "FeedCore \(number) (YAJL \(yajl), LMDB \(lmdb))" }

  private static var yajl: String {
    let version = yajl_version()
    return "\(version / 10_000).\(version / 100 % 100).\(version % 100)"
  }

  private static var lmdb: String {
    var major: CInt = 0
    var minor: CInt = 0
    var patch: CInt = 0
    mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
