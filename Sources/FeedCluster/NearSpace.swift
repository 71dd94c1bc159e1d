#if Cluster
  package import FeedStorage
  import Synchronization
  import Threading

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  // The limit of a near store. Copies of whole feeds are removed, the least recently requested
  // first; the next request copies a feed again. Without a limit, no copy is removed.
  extension SharedStore {
    /// How long a feed stays near without a request.
    private static let idleSeconds = 86_400
    /// How long a copy waits for space.
    private static let patience = Duration.seconds(5)

    /// Removes copies until the copy of a row fits, and reserves its bytes until `endReservation`.
    ///
    /// While a copy is being replaced, both generations are stored, but the feed counts once.
    ///
    /// - Throws: `diskFull` if the row alone exceeds the limit; `busy` if the other copies cannot
    ///   be removed
    func makeSpace(for row: SharedRow, in database: FeedDatabase) async throws(StoreError) {
      guard let cap = options.nearCap else { return }
      let bytes = row.description.storedBytes
      guard bytes <= cap else {
        throw StoreError(
          .diskFull,
          "the feed \(row.name) has \(bytes) bytes, and near-cap allows \(cap) for all feeds; give a"
            + " larger near-cap")
      }
      let deadline = ContinuousClock.now + Self.patience
      while true {
        let isTaken = try await spaceTurn.withPermit { () async throws(StoreError) in
          try await takeSpace(bytes, for: row.name, under: cap, in: database)
        }
        if isTaken { return }
        // Copying another feed may end soon.
        guard ContinuousClock.now < deadline, !Task.isCancelled else { break }
        try? await Task.sleep(for: .milliseconds(100))
      }
      throw StoreError(
        .busy,
        "the feed \(row.name) does not fit into the near store: near-cap allows \(cap) bytes, and the other"
          + " feeds are being changed or copied, or are nowhere else; try again, or give a larger near-cap"
      )
    }

    /// Removes copies and reserves space, if enough copies can be removed.
    private func takeSpace(
      _ bytes: Int, for name: FeedName, under cap: Int, in database: FeedDatabase
    ) async throws(StoreError) -> Bool {
      let reserved = reservedBytes.withLock { $0 }
      let space = await removable(besides: name, until: cap - bytes, reserved, from: database)
      guard space.left + bytes <= cap else { return false }
      reservedBytes.withLock { reserved in reserved[name] = bytes }
      for (name, lock) in space.feeds { try database.removeCopy(of: name, holding: lock) }
      return true
    }

    func endReservation(of name: FeedName) {
      reservedBytes.withLock { reserved in reserved[name] = nil }
    }

    /// Removes copies until all feeds are within the limit, except for one that has just changed.
    func removeExcess(besides name: FeedName, from database: FeedDatabase) async {
      guard let cap = options.nearCap else { return }
      let own = (try? database.feedDescription(named: name))?.storedBytes ?? 0
      // A feed that alone exceeds the limit stays until another feed is copied.
      guard own <= cap else { return }
      await spaceTurn.withPermit {
        let space = await removable(besides: name, until: cap - own, [:], from: database)
        // Copies that cannot be removed now are removed before the next copy.
        for (name, lock) in space.feeds { try? database.removeCopy(of: name, holding: lock) }
      }
    }

    /// Removes the copies of feeds that were not requested for a day.
    package func removeIdleFeeds(from database: FeedDatabase) async throws(StoreError) {
      guard options.nearCap != nil else { return }
      for name in try database.feedNames() {
        guard let last = database.lastRequest(of: name) else {
          // If the times of requests were lost, the day begins now.
          database.noteRequest(of: name)
          continue
        }
        guard time(nil) - last > Self.idleSeconds,
          let lock = await lockIfRemovable(name, in: database)
        else { continue }
        try database.removeCopy(of: name, holding: lock)
      }
    }

    /// The feeds to remove so that the others have at most `limit` bytes, as far as they can be
    /// removed, and the bytes of the others. These bytes include the feeds that are being copied. A
    /// feed that cannot be read has no known size and stays.
    private func removable(
      besides name: FeedName, until limit: Int, _ reserved: [FeedName: Int],
      from database: FeedDatabase
    ) async -> (feeds: [(FeedName, FeedLock)], left: Int) {
      var sizes = reserved
      for name in (try? database.feedNames()) ?? [] {
        guard let feed = try? database.feedDescription(named: name) else { continue }
        sizes[name] = max(feed.storedBytes, sizes[name] ?? 0)
      }
      sizes[name] = nil
      let feeds = sizes.map { (name: $0.key, bytes: $0.value) }.sorted {
        (database.lastRequest(of: $0.name) ?? 0, $0.name)
          < (database.lastRequest(of: $1.name) ?? 0, $1.name)
      }
      var left = feeds.reduce(0) { $0 + $1.bytes }
      var removed: [(FeedName, FeedLock)] = []
      for (name, bytes) in feeds where left > limit {
        guard let lock = await lockIfRemovable(name, in: database) else { continue }
        removed.append((name, lock))
        left -= bytes
      }
      return (removed, left)
    }

    /// Locks a feed whose copy may be removed: the cluster has it, and no process changes it.
    private func lockIfRemovable(_ name: FeedName, in database: FeedDatabase) async -> FeedLock? {
      // The feed is locked for a moment only, so that a writer of this host does not find it busy.
      guard let row = try? await row(of: name), let lock = try? database.lockFeed(name),
        let near = try? database.sharedRow(of: name), !near.isLater(than: row)
      else { return nil }
      note(name, isThere: !row.isDeleted)
      return lock
    }
  }
#endif
