#if Server
  import FeedRecord
  import FeedStorage
  import RESPWire

  extension Keyspace {
    /// The work after which a call ends, however few keys it has visited.
    private static var callBytes: Int { 512 << 10 }

    /// Continues a scan of all keys.
    ///
    /// The guarantees are those of Redis' `SCAN`. A key that exists during the whole scan is
    /// returned at least once. One that is added or removed meanwhile may be returned. A key may be
    /// returned more than once. The guarantees hold across ingests, because records and images are
    /// scanned in the order of their hashes. Pages belong to a generation and disappear with it.
    ///
    /// - Parameters:
    ///   - limit: the approximate number of keys to visit; fewer if that takes long
    ///   - pattern: the pattern that returned keys match
    /// - Returns: where to continue; nil at the end
    func scan(
      from cursor: ScanCursor, limit: Int, matching pattern: GlobPattern?,
      _ body: (String) -> Void
    ) throws(StoreError) -> ScanCursor? {
      var cursor = cursor
      let names = try feedsByHash()
      // The number of returned keys and skipped feeds.
      var looked = 0
      let begun = work
      func give(_ key: String) {
        looked += 1
        work += 512
        guard let pattern else { return body(key) }
        let key = (text: key, bytes: Array(key.utf8))
        work += pattern.steps(forTextOf: key.bytes.count) / 4
        if pattern.matches(key.bytes.span) { body(key.text) }
      }
      // Keys and patterns may be long. The work is then checked more often.
      let step = pattern.map { max(1_024 / max($0.count, 1), 1) } ?? limit
      while looked < limit, work - begun < Self.callBytes {
        let next: ScanCursor?
        let before = looked
        if cursor.part == .images {
          next = try scanImages(cursor, min(limit - looked, step), pattern, give)
        } else {
          next = try scanFeeds(names, cursor, min(limit - looked, step), pattern, give)
        }
        guard let next else { return nil }
        if looked == before { looked += 1 }
        // A scan of a large feed's pages takes separate steps.
        if next == cursor { return next }
        cursor = next
      }
      return cursor
    }

    private func scanImages(
      _ cursor: ScanCursor, _ limit: Int, _ pattern: GlobPattern?, _ give: (String) -> Void
    ) throws(StoreError) -> ScanCursor? {
      guard pattern?.canMatch(prefix: "img:".utf8) ?? true, let images = try store.images() else {
        return nil
      }
      let place = try images.forEachImage(
        fromHash: cursor.place, bits: ScanCursor.imageBits, limit: limit
      ) { image throws(StoreError) in
        if !image.isExpired(at: now) { give("img:" + image.url) }
      }
      return place.map { ScanCursor(.images, place: $0) }
    }

    /// One step through the feeds with the next hash.
    ///
    /// - Parameter names: all feeds, sorted by their hashes
    private func scanFeeds(
      _ names: [(hash: UInt64, name: FeedName)], _ cursor: ScanCursor, _ limit: Int,
      _ pattern: GlobPattern?, _ give: (String) -> Void
    ) throws(StoreError) -> ScanCursor? {
      guard let first = names.firstIndex(where: { $0.hash >= cursor.feedHash }) else {
        return Self.begin(after: cursor.part)
      }
      let hash = names[first].hash
      // A feed that cannot be read has no keys here; reading one of its keys reports the error.
      let group = names[first...].prefix { $0.hash == hash }.compactMap { try? slot(of: $0.name) }
        .filter { valid($0) != nil }
      let start = hash == cursor.feedHash ? cursor.place : 0
      let place = try scan(
        cursor.part, of: group, from: start, limit, pattern, give)
      if let place { return ScanCursor(cursor.part, feedHash: hash, place: place) }
      return (hash + 1) >> ScanCursor.feedBits == 0
        ? ScanCursor(cursor.part, feedHash: hash + 1) : Self.begin(after: cursor.part)
    }

    private func feedsByHash() throws(StoreError) -> [(hash: UInt64, name: FeedName)] {
      try store.database.feedNames().map { (Self.hash($0), $0) }.sorted { $0.0 < $1.0 }
    }

    private static func begin(after part: ScanCursor.Part) -> ScanCursor? {
      ScanCursor.Part(rawValue: part.rawValue + 1).map { ScanCursor($0) }
    }

    private static func hash(_ name: FeedName) -> UInt64 {
      KeyHash.hash(Array(name.text.utf8).span.bytes) >> (64 - ScanCursor.feedBits)
    }

    /// One step through one part of the keys of some feeds; nil at its end.
    private func scan(
      _ part: ScanCursor.Part, of group: [Int], from place: UInt64, _ limit: Int,
      _ pattern: GlobPattern?, _ give: (String) -> Void
    ) throws(StoreError) -> UInt64? {
      func wants(_ prefix: String) -> Bool { pattern?.canMatch(prefix: prefix.utf8) ?? true }
      let feeds = group.compactMap { slots[$0].feed?.description }
      switch part {
      case .feeds:
        for feed in feeds {
          give("feed:{\(feed.name)}:cur")
          give("feed:\(feed.name):\(feed.generation):meta")
        }
        return nil
      case .pages:
        var end: UInt64?
        for slot in group {
          guard let feed = valid(slot) else { continue }
          let prefix = "feed:\(feed.description.name):\(feed.description.generation):p:"
          guard wants(prefix) else { continue }
          let first = Int(clamping: place)
          let count = try pageNumbers(from: first, limit: min(limit, 8), of: feed, slot)
          for number in first..<first + count { give(prefix + String(number)) }
          let pages = slots[slot].pages
          if pages.limit > first + count {
            end = min(end ?? .max, UInt64(first + count))
          }
        }
        return end
      case .items:
        let wanted = group.compactMap { valid($0) }
          .filter { wants("feed:\($0.description.name):item:") }
        return try scanItems(of: wanted, from: place, limit, give)
      case .images:
        return nil
      }
    }

    private func scanItems(
      of feeds: [Feed], from place: UInt64, _ limit: Int, _ give: (String) -> Void
    ) throws(StoreError) -> UInt64? {
      var ends: [UInt64] = []
      for feed in feeds where feed.isFoundByPosition {
        let prefix = "feed:\(feed.description.name):item:\(Feed.positionSign)"
        let count = feed.description.recordCount
        let start = min(Int(clamping: place), count)
        let end = start + min(limit, count - start)
        for position in start..<end { give(prefix + String(position)) }
        // A cursor has no higher numbers.
        if end < count, end <= UInt32.max { ends.append(UInt64(end)) }
      }
      let hashed = feeds.filter { !$0.isFoundByPosition }
      if let end = try scanHashes(of: hashed, from: place, limit, give) { ends.append(end) }
      return ends.min()
    }

    /// The keys of records that are found by hashes. Documents without a key have none.
    private func scanHashes(
      of feeds: [Feed], from place: UInt64, _ limit: Int, _ give: (String) -> Void
    ) throws(StoreError) -> UInt64? {
      guard !feeds.isEmpty else { return nil }
      var last = ""
      return try store.database.forEachRecord(
        of: feeds, fromKeyHash: UInt32(clamping: place), limit: limit
      ) { record, feed throws(StoreError) in
        let key = "feed:\(feed.description.name):item:\(try Self.itemKey(record, of: feed))"
        // Records with the same key are adjacent here.
        if key != last { give(key) }
        last = key
      }.map { UInt64($0) }
    }

    /// The last part of the key of a record that is not found by its position.
    static func itemKey(_ record: RecordView, of feed: Feed) throws(StoreError) -> String {
      try feed.keyText(of: record, at: 0) ?? ""
    }
  }
#endif
