import FeedFeature
import Foundation

/// A store with one fault.
actor BrokenStore: FeedStore {
  enum Fault: Sendable {
    case forgetsSplitSeconds, countsSecondsFrom1970, takesEmptyForMissing, mergesEqualItems
    case sortsItems, keepsOldItems, keepsNewestTimestamp, forgetsWhenRead, failsToDeleteNothing
    case deletesNothing, appendsInFront, keepsTimestampWhenAppending, insertsPieceByPiece
    case losesCacheOnFailure
  }

  private let fault: Fault
  private var cache: CachedFeed<FeedImage>?
  private var insertionCount = 0

  init(_ fault: Fault) { self.fault = fault }

  func fill() { cache = CachedFeed(feed: Samples.images, timestamp: now) }

  func retrieve() -> CachedFeed<FeedImage>? {
    defer { if fault == .forgetsWhenRead { cache = nil } }
    if fault == .takesEmptyForMissing, cache?.feed.isEmpty == true { return nil }
    return cache
  }

  func insert(_ feed: [FeedImage], timestamp: Date) async throws {
    var new = CachedFeed(feed: feed, timestamp: timestamp)
    switch fault {
    case .forgetsSplitSeconds:
      new.timestamp = Date(
        timeIntervalSinceReferenceDate: timestamp.timeIntervalSinceReferenceDate.rounded())
    case .countsSecondsFrom1970:
      new.timestamp = Date(timeIntervalSince1970: timestamp.timeIntervalSince1970)
    case .mergesEqualItems:
      new.feed = feed.enumerated().filter { feed.firstIndex(of: $1) == $0 }.map(\.element)
    case .sortsItems:
      new.feed = feed.sorted { $0.url.path > $1.url.path }
    case .keepsOldItems:
      new.feed += (cache?.feed ?? []).dropFirst(feed.count)
    case .keepsNewestTimestamp:
      new.timestamp = max(timestamp, cache?.timestamp ?? timestamp)
    case .insertsPieceByPiece:
      insertionCount += 1
      cache = CachedFeed(feed: [], timestamp: timestamp)
      // Permits another insertion to start in between, if there is one.
      for _ in 0..<1000 where insertionCount == 1 { await Task.yield() }
      for item in feed {
        cache?.feed.append(item)
        await Task.yield()
      }
      return
    case .losesCacheOnFailure:
      cache = nil
      throw Failure.insertion
    default:
      break
    }
    cache = new
  }

  func append(_ feed: [FeedImage], timestamp: Date) {
    let old = cache?.feed ?? []
    cache = CachedFeed(
      feed: fault == .appendsInFront ? feed + old : old + feed,
      timestamp: fault == .keepsTimestampWhenAppending ? cache?.timestamp ?? timestamp : timestamp)
  }

  func deleteCachedFeed() throws {
    if fault == .failsToDeleteNothing, cache == nil { throw Failure.deletion }
    if fault != .deletesNothing { cache = nil }
  }
}

/// An image store with one fault.
actor BrokenImageStore: FeedImageDataStore {
  enum Fault: Sendable {
    case firstWins, ignoresQueries, keepsOneImage, cutsLargeImages, failsWithoutImage
  }

  private let fault: Fault
  private var images: [URL: Data] = [:]

  init(_ fault: Fault) { self.fault = fault }

  func insert(_ data: Data, for url: URL) {
    if fault == .firstWins, images[key(url)] != nil { return }
    if fault == .keepsOneImage { images = [:] }
    images[key(url)] = fault == .cutsLargeImages ? data.prefix(4096) : data
  }

  func retrieve(dataForURL url: URL) throws -> Data? {
    let data = images[key(url)]
    if fault == .failsWithoutImage, data == nil { throw Failure.retrieval }
    return data
  }

  private func key(_ url: URL) -> URL {
    guard fault == .ignoresQueries else { return url }
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.query = nil
    return components?.url ?? url
  }
}
