import FeedFeature
import Foundation
import Testing

/// The differences between the five documents, and the other variants of a policy.
@Suite("Cache policy: differences between the documents")
struct DifferencesTests {
  /// The content of the store before a load or a validation.
  enum Cache: CaseIterable, Sendable {
    case missing
    case young
    case old
    case unreadable
  }

  /// The result.
  enum Outcome: Equatable, Sendable {
    case feed
    case nothing
    case error
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var policy: CachePolicy
    /// The result of a load, in the order of ``Cache/allCases``.
    var delivered: [Outcome]
    /// The caches that a load deletes.
    var deleted: Set<Cache> = []
    /// The caches that a validation deletes.
    var invalid: Set<Cache>
    var saved = Saved.replaced
    var testDescription: String { name }
  }

  enum Saved: Sendable {
    case replaced
    case appended
  }

  static let presets: [Row] = [
    Row(
      name: "ListApp: no age", policy: .universities,
      delivered: [.nothing, .feed, .feed, .error], invalid: [.unreadable]),
    Row(
      name: "Essential App: seven days, a load changes nothing", policy: .essential,
      delivered: [.nothing, .feed, .nothing, .error], invalid: [.old, .unreadable]),
    Row(
      name: "Essential Feed App, 2020: a load deletes what is too old", policy: .feed2020,
      delivered: [.nothing, .feed, .nothing, .error], deleted: [.old],
      invalid: [.old, .unreadable]),
    Row(
      name: "Rick and Morty App: no age, a saving adds", policy: .characters,
      delivered: [.nothing, .feed, .feed, .error], invalid: [.unreadable], saved: .appended),
    Row(
      name: "EssentialNews: as Essential App", policy: .news,
      delivered: [.nothing, .feed, .nothing, .error], invalid: [.old, .unreadable]),
  ]

  /// The behaviour of the apps' code where it differs from their documents.
  static let variants: [Row] = [
    Row(
      name: "ListApp's code: an empty cache is an error",
      policy: CachePolicy(maximumAge: .unlimited, emptyCache: .error),
      delivered: [.error, .feed, .feed, .error], invalid: [.unreadable]),
    Row(
      name: "the earlier code of 2020: a load deletes what it cannot read, too",
      policy: CachePolicy(maximumAge: .days(7), onExpired: .delete, onRetrievalError: .delete),
      delivered: [.nothing, .feed, .nothing, .error], deleted: [.old, .unreadable],
      invalid: [.old, .unreadable]),
    Row(
      name: "EssentialNews' code: no age, errors, and what cannot be read is deleted",
      policy: CachePolicy(maximumAge: .unlimited, onRetrievalError: .delete, emptyCache: .error),
      delivered: [.error, .feed, .feed, .error], deleted: [.unreadable], invalid: [.unreadable]),
    Row(
      name: "an expired cache may be an error, too",
      policy: CachePolicy(maximumAge: .days(7), onExpired: .delete, emptyCache: .error),
      delivered: [.error, .feed, .error, .error], deleted: [.old], invalid: [.old, .unreadable]),
  ]

  private let images = Samples.images

  private func store(_ cache: Cache) -> StoreSpy<FeedImage> {
    switch cache {
    case .missing: StoreSpy()
    case .young: StoreSpy(CachedFeed(feed: images, timestamp: ago(days: 7, seconds: -1)))
    case .old: StoreSpy(CachedFeed(feed: images, timestamp: ago(days: 7)))
    case .unreadable: StoreSpy(retrievalError: .retrieval)
    }
  }

  @Test(
    "the items that a load delivers, and the caches that it deletes", arguments: presets + variants)
  func loading(row: Row) async throws {
    for (cache, wanted) in zip(Cache.allCases, row.delivered) {
      let local = LocalFeed(row.policy, store(cache))
      let outcome: Outcome
      do {
        outcome = try await local.loader.load() == images ? .feed : .nothing
      } catch {
        outcome = .error
      }
      #expect(outcome == wanted, "\(cache)")
      let wasDeleted = local.store.messages.contains(.delete)
      #expect(wasDeleted == row.deleted.contains(cache), "\(cache)")
    }
  }

  @Test("the caches that a validation deletes", arguments: presets + variants)
  func validating(row: Row) async throws {
    for cache in Cache.allCases {
      let local = LocalFeed(row.policy, store(cache))
      try await local.loader.validateCache()
      let wasDeleted = local.store.messages.contains(.delete)
      #expect(wasDeleted == row.invalid.contains(cache), "\(cache)")
    }
  }

  @Test("the cache after a save", arguments: presets + variants)
  func saving(row: Row) async throws {
    let local = LocalFeed(row.policy, Array(images.prefix(1)), savedAt: ago(days: 1))
    try await local.loader.save(images)
    let wanted = row.saved == .appended ? images.prefix(1) + images : images
    #expect(local.store.cache == CachedFeed(feed: wanted, timestamp: now))
  }
}
