#if Cluster
  package import FeedStorage

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  // The limit of a near store. Whole feeds leave it, the least recently requested first; the next
  // request copies them again. Without a limit, all of this does nothing.
  extension SharedStore {
    /// How long a feed stays near without a request.
    private static let idleSeconds = 86_400

    /// Removes copies until that of a row fits in.
    ///
    /// A feed that is replaced has both generations for the time of the copy. That is not counted.
    ///
    /// - Throws: `diskFull` if the row alone exceeds the limit; `busy` if the others are being changed
    func makeSpace(for row: SharedRow, in database: FeedDatabase) async throws(StoreError) {
      guard let cap = options.nearCap else { return }
      let bytes = row.description.storedBytes
      guard bytes <= cap else {
        throw StoreError(
          .diskFull,
          "the feed \(row.name) has \(bytes) bytes, and near-cap allows \(cap) for all feeds;"
            + " give a larger near-cap")
      }
      let left = try await removeFeeds(besides: row.name, until: cap - bytes, from: database)
      guard left + bytes <= cap else {
        throw StoreError(
          .busy,
          "the feed \(row.name) does not fit into the near store: near-cap allows \(cap) bytes, and the"
            + " other feeds are being changed or are nowhere else; try again, or give a larger near-cap"
        )
      }
    }

    /// Removes copies until all feeds are within the limit, except for one that is to be changed.
    func makeSpace(besides name: FeedName, in database: FeedDatabase) async throws(StoreError) {
      guard let cap = options.nearCap else { return }
      let own = try database.feedDescription(named: name)?.storedBytes ?? 0
      _ = try await removeFeeds(besides: name, until: max(cap - own, 0), from: database)
    }

    /// Removes the copies of feeds that nobody has requested for a day.
    package func removeIdleFeeds(from database: FeedDatabase) async throws(StoreError) {
      guard options.nearCap != nil else { return }
      for feed in try database.feeds() {
        guard let last = database.lastRequest(of: feed.name) else {
          // The day begins when the times were lost.
          database.noteRequest(of: feed.name)
          continue
        }
        if time(nil) - last > Self.idleSeconds {
          _ = try await removeCopy(of: feed.name, from: database)
        }
      }
    }

    /// Removes copies until the others have at most some bytes. Returns how many they have.
    private func removeFeeds(
      besides name: FeedName, until limit: Int, from database: FeedDatabase
    ) async throws(StoreError) -> Int {
      let feeds = try database.feeds().filter { $0.name != name }
        .map { feed in (feed: feed, last: database.lastRequest(of: feed.name) ?? 0) }
        .sorted { $0.last < $1.last }
      var bytes = feeds.reduce(0) { $0 + $1.feed.storedBytes }
      for (feed, _) in feeds where bytes > limit {
        if try await removeCopy(of: feed.name, from: database) { bytes -= feed.storedBytes }
      }
      return bytes
    }

    /// Removes the copy of a feed that the cluster has, unless another process changes it.
    private func removeCopy(
      of name: FeedName, from database: FeedDatabase
    ) async throws(StoreError) -> Bool {
      guard let near = try database.sharedRow(of: name), let row = try await row(of: name),
        !near.isLater(than: row), let lock = try database.lockFeed(name)
      else { return false }
      try database.removeCopy(of: name, holding: lock)
      return true
    }
  }
#endif
