import ArgumentParser
import FeedCore
import JSONStream

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

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func validate() throws { try GivenURL.refuseEmpty(url) }

  func run() throws {
    let images = try store.openExistingImages()
    var removed = url
    if try !images.remove(url) {
      removed = try store.location.imageURL(ofText: url)
      guard try images.remove(removed) else { throw images.notFound(url) }
    }
    guard json else { return }
    var line = JSONLine()
    line.add("url", removed)
    line.add("removed", true)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
