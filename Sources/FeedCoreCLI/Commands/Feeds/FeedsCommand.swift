import ArgumentParser
import FeedCore
import FeedTools
import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `feedcore feeds`
struct FeedsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds", abstract: "List the feeds of the store.",
    discussion: """
      Other programs can make feeds whose names begin with a hyphen. Put -- before such a name: \
      feedcore show -- -x.

      EXAMPLES:
        feedcore feeds
        feedcore feeds --json | jq -r '.[].name'
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print a JSON array with an object for each feed.")
  var json = false

  func run() throws {
    var failure: Failure?
    let feeds = try feeds { error in
      error.report()
      failure = failure ?? error
    }
    let output = Output.standard()
    let now = Date().timeIntervalSinceReferenceDate
    if json {
      output.write(
        JSONLine.array(feeds.map { line($0, age: now - $0.referenceSeconds) }))
    } else if !feeds.isEmpty {
      printTable(feeds, now: now, to: output)
    }
    try output.finish()
    if let failure { throw Failure(failure.status) }
  }

  // A store that does not exist yet has no feeds.
  private func feeds(_ report: (Failure) -> Void) throws(Failure) -> [FeedDescription] {
    do throws(Failure) {
      return try store.feeds(report)
    } catch  where error.status == .noInput {
      if !json { error.report() }
      return []
    }
  }

  private func printTable(_ feeds: [FeedDescription], now: Double, to output: Output) {
    let table = TextTable(
      [
        ("name", .left), ("kind", .left), ("records", .right), ("bytes", .right), ("age", .right),
        ("generation", .right),
      ], columns: StandardStreams.columns, output: output)
    for feed in feeds {
      table.add([
        feed.name.text, feed.kind, ReadableNumber.grouped(feed.recordCount),
        ReadableNumber.bytes(feed.storedBytes),
        ReadableAge.text(seconds: now - feed.referenceSeconds), "\(feed.generation)",
      ])
    }
    table.finish()
  }

  private func line(_ feed: FeedDescription, age: Double) -> JSONLine {
    var line = JSONLine()
    line.add("name", feed.name.text)
    line.add("kind", feed.kind)
    line.add("records", feed.recordCount)
    line.add("bytes", feed.storedBytes)
    line.add("ageSeconds", Int(exactly: age.rounded(.down)))
    line.add("timestamp", referenceSeconds: feed.referenceSeconds)
    line.add("generation", feed.generation)
    line.add(
      "indexed",
      feed.indexedFields.map { id in
        feed.schema?.fields.first { $0.id == id }?.pathText ?? "\(id)"
      })
    line.add("origin", feed.origin)
    return line
  }
}
