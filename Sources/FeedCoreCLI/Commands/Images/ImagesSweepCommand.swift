import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

/// `feedcore images sweep`
struct ImagesSweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Remove images that no feed of the store names, and images that have expired.",
    discussion: """
      Removes nothing if a feed cannot be read. In a store that never had a feed, only images that \
      have expired or are damaged are removed.

      EXAMPLES:
        feedcore images sweep
      """)

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func run() throws {
    let images = try store.openExistingImages()
    let report =
      if let database = try store.openIfExists() {
        try images.sweep(keepingImagesOf: database)
      } else {
        // Without a store of feeds, no image is known to be unused.
        try images.removeExpired()
      }
    let output = Output.standard()
    if json {
      output.write(line(report))
    } else {
      output.write(
        "removed \(ReadableNumber.counted(report.removed, "image"))"
          + " (\(ReadableNumber.grouped(report.expired)) expired,"
          + " \(ReadableNumber.grouped(report.damaged)) damaged),"
          + " \(ReadableNumber.bytes(report.freedBytes))\n")
    }
    try output.finish()
  }

  private func line(_ report: ImageSweepReport) -> JSONLine {
    var line = JSONLine()
    line.add("removed", report.removed)
    line.add("expired", report.expired)
    line.add("damaged", report.damaged)
    line.add("freedBytes", report.freedBytes)
    return line
  }
}
