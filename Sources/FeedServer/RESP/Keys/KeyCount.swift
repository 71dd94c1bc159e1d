import FeedStorage

/// A count of all keys that `SCAN` returns, in steps.
struct KeyCount {
  /// The number of keys.
  fileprivate(set) var count = 0
  /// The number of keys that expire.
  fileprivate(set) var expiring = 0
  /// The sum of the times that they have left.
  fileprivate var secondsLeft = 0.0
  /// The feeds to count; nil at the start.
  fileprivate var feeds: [FeedName]?
  /// The hash of the next image; nil if all are counted.
  fileprivate var nextImage: UInt64? = 0

  fileprivate mutating func add(_ count: Int, expiry: Double, now: Double) {
    self.count += count
    guard expiry < .infinity else { return }
    expiring += count
    secondsLeft += Double(count) * max(expiry - now, 0)
  }
}

#if Server
  extension KeyCount {
    /// The average time that the expiring keys have left.
    var averageMilliseconds: Int {
      expiring > 0 ? Int(saturating: (secondsLeft / Double(expiring) * 1_000).rounded()) : 0
    }
  }

  extension Keyspace {
    /// The maximum records of a segment and images of one step.
    private static var stepKeys: Int { 4 << 10 }

    /// Counts further keys. The first count after an ingest visits all records of the feed. The
    /// next ones use its result.
    ///
    /// - Returns: false if all keys are counted
    func continueCount(_ keys: inout KeyCount) throws(StoreError) -> Bool {
      work += 1 << 10
      guard let feeds = keys.feeds else {
        keys.feeds = try store.database.feedNames()
        return true
      }
      if let name = feeds.last {
        // As for a scan, a feed that cannot be read has no keys.
        if let slot = try? slot(of: name), let feed = valid(slot) {
          guard let count = try keyCount(of: feed, slot) else { return true }
          keys.add(count, expiry: validities[slot].expiry, now: now)
        }
        keys.feeds?.removeLast()
        return true
      }
      guard let place = keys.nextImage, let images = try store.images() else { return false }
      keys.nextImage = try images.forEachImage(
        fromHash: place, bits: ScanCursor.imageBits, limit: Self.stepKeys
      ) { image throws(StoreError) in
        work += 64
        guard !image.isExpired(at: now) else { return }
        keys.add(1, expiry: image.metadata.expiryReferenceSeconds ?? .infinity, now: now)
      }
      return keys.nextImage != nil
    }

    /// The number of a feed's keys; nil if it takes further steps.
    private func keyCount(of feed: Feed, _ slot: Int) throws(StoreError) -> Int? {
      let pages = slots[slot].pages
      guard pages.isComplete else {
        // Reading the last known page finds the start of the next one.
        _ = try page(pages.starts.count - 1, of: feed, slot)
        return nil
      }
      if feed.isFoundByPosition {
        return 2 + pages.starts.count + feed.description.recordCount
      }
      if let next = slots[slot].keys.next {
        let step = try store.database.countKeys(
          of: feed, fromKeyHash: next, limit: Self.stepKeys
        ) { record throws(StoreError) in
          work += 256
          return try Self.itemKey(record, of: feed)
        }
        work += 8 * step.count
        addKeys(step, ofSlot: slot)
        return nil
      }
      // The current generation and its description are keys, too.
      return 2 + pages.starts.count + slots[slot].keys.count
    }
  }
#endif
