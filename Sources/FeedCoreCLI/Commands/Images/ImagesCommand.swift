import ArgumentParser

/// `feedcore images`
struct ImagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "images",
    abstract: "Keep images by URL, up to a cap of bytes.",
    subcommands: [
      ImagesPutCommand.self, ImagesGetCommand.self, ImagesListCommand.self,
      ImagesStatsCommand.self, ImagesRemoveCommand.self, ImagesSweepCommand.self,
      ImagesCapCommand.self,
    ])
}
