import ArgumentParser

/// `feedcore images`
struct ImagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images",
    abstract: "Keep images by URL, up to a cap of bytes.",
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
