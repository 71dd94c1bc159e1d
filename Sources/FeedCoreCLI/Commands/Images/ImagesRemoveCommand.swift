import ArgumentParser
import FeedCore

/// `feedcore images remove`
struct ImagesRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an image.",
    discussion: """
      EXAMPLES:
        feedcore images remove https://example.com/photo.png
      """)

  @Argument(help: ArgumentHelp("The URL of the image.", valueName: "url"))
  var url: String

  @OptionGroup var store: ChangedStoreOptions

  func validate() throws { try GivenURL.refuseEmpty(url) }

  func run() throws {
    let images = try store.openExistingImages()
    if try images.remove(url) { return }
    guard try images.remove(store.location.imageURL(ofText: url)) else {
      throw images.notFound(url)
    }
  }
}
