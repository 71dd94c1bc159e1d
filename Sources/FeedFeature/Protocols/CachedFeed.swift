#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed as a store has it: its items, and when it was saved.
public struct CachedFeed<Item: Sendable>: Sendable {
  /// The items in the order in which they were inserted. An empty feed is a cache, too.
  public var feed: [Item]
  /// When the feed was saved, to the bit.
  public var timestamp: Date

  /// Makes a cached feed.
  public init(feed: [Item], timestamp: Date) {
    self.feed = feed
    self.timestamp = timestamp
  }
}

extension CachedFeed: Equatable where Item: Equatable {}
