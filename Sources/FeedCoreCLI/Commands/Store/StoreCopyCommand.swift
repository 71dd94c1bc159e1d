import ArgumentParser
import FeedCore
import FeedStorage
import FeedTools
import JSONStream

/// `feedcore store copy`
struct StoreCopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy feeds and images to another store, in a directory or in a cluster.",
    discussion: """
      Each copy replaces the feed of its name, as a whole. Records, keys, indexes, schema, timestamp \
      and validators stay, and an export of the copy has the same bytes. Other feeds of the target \
      are left alone. --images copies the images that have not expired, too; of a cluster, those that \
      were read on this host. The target removes other images if they would exceed its cap. The credentials of --store-auth are sent to both clusters.

      EXAMPLES:
        feedcore store copy --to other-store --images
        feedcore store copy --to redis-cluster://127.0.0.1:7000 --feeds news
      """)

  @Option(
    help: ArgumentHelp(
      "The target: a directory or the URL of a cluster, as for --store.", valueName: "dir"),
    completion: .directory)
  var to: String

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("The feeds to copy; by default all.", valueName: "name,…"))
  var feeds: String?

  @Flag(help: "Copy the images too.")
  var images = false

  @Flag(help: "Print a JSON array with an object for each feed, and one for all images.")
  var json = false

  func validate() throws {
    try GivenPath.refuseEmpty([to], "--to")
    if let feeds, feeds.allSatisfy({ $0 == "," }) {
      throw ValidationError("--feeds: the list is empty; leave it out for all feeds")
    }
  }

  func run() throws {
    Interruption.install()
    let source = try store.openExisting()
    let names =
      try feeds.map { try $0.split(separator: ",").map { try FeedName(argument: String($0)) } }
      ?? store.feeds { failure throws(Failure) in throw failure }.map(\.name)
    // All feeds exist before the first one is copied.
    let copied = try names.map { try store.feed(named: $0, in: source) }
    let target = try store.at(to).open(making: FeedDatabase.Options())
    let output = Output.standard()
    var lines: [JSONLine] = []
    let result = Result {
      for feed in copied {
        let copy = try target.copy(feed) { Interruption.isRequested }
        lines.append(line(copy))
        if !json { write(copy, to: output) }
      }
      guard images else { return }
      var report = ImageCopyReport()
      defer {
        lines.append(line(report))
        if !json { write(report, to: output) }
      }
      try copyImages(&report)
    }
    // The report names what was copied, also if a later copy fails.
    if json { output.write(JSONLine.array(lines)) }
    try output.finish()
    try result.get()
  }

  private func copyImages(_ report: inout ImageCopyReport) throws(Failure) {
    let source: ImageStore
    do throws(Failure) {
      source = try store.openExistingImages()
    } catch  where error.status == .noInput {
      // The store has no images.
      return
    }
    var options = ImageStore.Options()
    // The source may have been written with any limit.
    options.imageLimit = ImageStore.maximumImageLimit
    let target = try store.at(to).openImages(making: options)
    do throws(StoreError) {
      try source.copyImages(to: target, report: &report) { Interruption.isRequested }
    } catch {
      throw Failure(error)
    }
  }

  private func write(_ report: ImageCopyReport, to output: Output) {
    let count = ReadableNumber.counted(report.images, "image")
    output.write("\(count), \(ReadableNumber.bytes(report.bytes))")
    if report.evictions > 0 {
      let evicted = ReadableNumber.counted(report.evictions, "image")
      output.write("; \(evicted) of the target removed under its cap")
    }
    output.write("\n")
  }

  private func line(_ report: ImageCopyReport) -> JSONLine {
    var line = JSONLine()
    line.add("images", report.images)
    line.add("bytes", report.bytes)
    line.add("evictions", report.evictions)
    return line
  }

  private func write(_ copy: FeedDescription, to output: Output) {
    let count = ReadableNumber.counted(copy.recordCount, "record")
    output.write("\(copy.name): \(count), generation \(copy.generation)\n")
  }

  private func line(_ copy: FeedDescription) -> JSONLine {
    var line = JSONLine()
    line.add("feed", copy.name.text)
    line.add("records", copy.recordCount)
    line.add("generation", copy.generation)
    return line
  }
}
