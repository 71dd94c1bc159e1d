import ArgumentParser
import FeedCore
import FeedTools

/// `feedcore images cap`
struct ImagesCapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cap",
    abstract: "Tell or change how many bytes the images may occupy.",
    discussion: """
      The cap is kept in the store; a new store is made with it, or with 1 GiB. Where it is lowered, \
      images leave at once until the others fit. The file stays as large as it was: `feedcore store \
      compact` gives the rest back.
      """)

  @Argument(
    help: ArgumentHelp("The new cap, such as 500MB or 2GiB; at least 1MiB.", valueName: "bytes"))
  var cap: ByteCount?

  @OptionGroup var store: StoreOptions

  func run() throws {
    let images =
      if let cap { try store.openImages(byteCap: cap.bytes) } else {
        try store.openExistingImages()
      }
    let statistics = try images.statistics()
    let output = Output.standard()
    output.write(
      "\(ReadableNumber.bytes(statistics.byteCap)), of which"
        + " \(ReadableNumber.bytes(statistics.occupiedBytes)) are occupied\n")
    try output.finish()
  }
}
