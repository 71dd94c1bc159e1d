#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed in a store: its items and the time when it was saved.
public struct CachedFeed<Item: Sendable>: Sendable {
  /// The items in insertion order. An empty feed is a cache, too.
  public var feed: [Item]
  /// When the feed was saved, with all bits.
  public var timestamp: Date

  /// Makes a cached feed.
  public init(feed: [Item], timestamp: Date) {
    self.feed = feed
    self.timestamp = timestamp
  }
}

extension CachedFeed: Equatable where Item: Equatable {}
