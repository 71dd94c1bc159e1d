import ArgumentParser
import FeedCore
import FeedTools

/// `feedcore images sweep`
struct ImagesSweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep",
    abstract: "Remove images that no feed of the store names, and images that have expired.",
    discussion: """
      Removes nothing if there are no feeds or one of them cannot be read.

      EXAMPLES:
        feedcore images sweep
      """)

  @OptionGroup var store: StoreOptions

  func run() throws {
    let images = try store.openExistingImages()
    let report = try images.sweep(keepingImagesOf: store.openExisting())
    let output = Output.standard()
    output.write(
      "removed \(ReadableNumber.counted(report.removed, "image"))"
        + " (\(ReadableNumber.grouped(report.expired)) expired,"
        + " \(ReadableNumber.grouped(report.damaged)) damaged),"
        + " \(ReadableNumber.bytes(report.freedBytes))\n")
    try output.finish()
  }
}
