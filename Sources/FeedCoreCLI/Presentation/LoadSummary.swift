import FeedCore
import FeedSchema
import FeedTools
import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The last line of a load: the feed, and its origin.
struct LoadSummary {
  private enum Origin: String {
    case remote
    case unchanged
    case cache
  }

  private let feed: FeedDescription
  private let origin: Origin
  private let ingest: IngestSummary?
  private let cause: String?
  private let age: Double

  /// - Parameter cause: why the cached feed is used, if it is.
  init(_ delivery: FeedDelivery, _ measures: IngestMeter.Measures, cause: String?) {
    var ingest: IngestSummary?
    switch delivery.origin {
    case .remote(let report):
      origin = .remote
      ingest = IngestSummary(report: report, measures: measures)
    case .revalidated: origin = .unchanged
    case .cache: origin = .cache
    }
    self.ingest = ingest
    self.cause = cause
    feed = delivery.feed
    age = Self.age(of: delivery.feed)
  }

  /// A cached feed whose service was not asked.
  init(cached feed: FeedDescription) {
    self.feed = feed
    origin = .cache
    ingest = nil
    cause = nil
    age = Self.age(of: feed)
  }

  private static func age(of feed: FeedDescription) -> Double {
    Date().timeIntervalSinceReferenceDate - feed.referenceSeconds
  }

  /// `universities: 54 records, unchanged, generation 7`, or `…, from the cache, 3 h old, …`; for a
  /// feed that was loaded, the line of an ingest.
  var line: String {
    if let ingest { return ingest.line }
    let state =
      origin == .unchanged
      ? "unchanged" : "from the cache, \(ReadableAge.text(seconds: age)) old"
    return "\(feed.name): \(ReadableNumber.counted(feed.recordCount, "record")), \(state),"
      + " generation \(feed.generation)"
  }

  /// The same as JSON.
  var json: JSONLine {
    var line = JSONLine()
    line.add("feed", feed.name.text)
    line.add("kind", feed.kind)
    line.add("origin", origin.rawValue)
    line.add("records", feed.recordCount)
    line.add("generation", feed.generation)
    line.add("ageSeconds", Int(exactly: age.rounded(.down)))
    let timestamp = DateText.text(referenceSeconds: feed.referenceSeconds)
    line.add("timestamp", timestamp.map { String(decoding: $0, as: UTF8.self) })
    line.add("error", cause)
    line.add("ingest", ingest?.json)
    return line
  }
}
