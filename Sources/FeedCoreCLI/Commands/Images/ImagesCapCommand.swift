import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore images cap`
struct ImagesCapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cap",
    abstract: "Show or change the number of bytes that images may occupy.",
    discussion: """
      The store keeps the cap; the default of a new store is 1 GiB. A lower cap removes images at \
      once until the others fit. The file does not shrink: `feedcore store compact` returns its free \
      pages to the disk.

      EXAMPLES:
        feedcore images cap
        feedcore images cap 500MB
      """)

  @Argument(
    help: ArgumentHelp("The new cap, such as 500MB or 2GiB; at least 1MiB.", valueName: "bytes"))
  var cap: ByteCount?

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print a JSON object.")
  var json = false

  func run() throws {
    let images =
      if let cap { try store.openImages(byteCap: cap.bytes) } else {
        try store.openExistingImages()
      }
    let statistics = try images.statistics()
    let output = Output.standard()
    if json {
      var line = JSONLine()
      line.add("byteCap", statistics.byteCap)
      line.add("occupiedBytes", statistics.occupiedBytes)
      output.write(line)
    } else {
      output.write(
        "\(ReadableNumber.bytes(statistics.byteCap)), of which"
          + " \(ReadableNumber.bytes(statistics.occupiedBytes)) are occupied\n")
    }
    try output.finish()
  }
}
