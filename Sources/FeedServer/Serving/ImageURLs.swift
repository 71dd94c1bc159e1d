#if Server
  import FeedRecord
  import FeedStorage

  /// The URLs of images that feeds name. Only these are fetched for clients.
  ///
  /// For each feed it has the positions of its URLs by their hashes, 16 bytes each, while the
  /// generation is current. The record then confirms whether it names a URL.
  actor ImageURLs {
    private struct Entry {
      let hash: UInt64
      /// The position of a record that names a URL with this hash.
      let position: Int
    }

    private struct PositionIndex {
      let generation: UInt64
      let sorted: [Entry]

      /// The positions for a hash. All of them name one URL, unless hashes collide.
      func entries(of hash: UInt64) -> some Sequence<Entry> {
        var range = sorted.startIndex..<sorted.endIndex
        while !range.isEmpty {
          let middle = range.lowerBound + range.count / 2
          range =
            sorted[middle].hash < hash
            ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return sorted[range.lowerBound...].prefix { $0.hash == hash }
      }
    }

    private let store: ServedStore
    private var known: [FeedName: PositionIndex] = [:]

    init(_ store: ServedStore) { self.store = store }

    /// Whether a feed names a URL. The first call for a generation reads all of it.
    ///
    /// - Parameter feeds: the feeds to look in; all if nil.
    /// - Throws: `cancelled` if the caller was cancelled; `damaged`
    func contain(_ url: String, in feeds: Set<FeedName>? = nil) throws(StoreError) -> Bool {
      let text = Array(url.utf8)
      let hash = KeyHash.hash(text.span.bytes)
      // Callers may have been cancelled while they waited for their turn.
      if Task.isCancelled { throw StoreError(.cancelled, "the client has disconnected") }
      let names = try store.database.feedNames()
      known = known.filter { names.contains($0.key) }
      for name in names where feeds?.contains(name) ?? true {
        guard let feed = try store.database.feed(named: name, isRequest: false) else { continue }
        for entry in try index(of: feed).entries(of: hash)
        where try self.feed(feed, names: text, at: entry.position) {
          return true
        }
      }
      return false
    }

    /// Whether the record at a position names a URL.
    private func feed(
      _ feed: Feed, names url: [UInt8], at position: Int
    ) throws(StoreError) -> Bool {
      var isNamed = false
      try feed.forEachImageURL(from: position) { found, foundAt in
        guard foundAt == position else { return false }
        if found.hasSameBytes(as: url.span.bytes) { isNamed = true }
        return !isNamed
      }
      return isNamed
    }

    private func index(of feed: Feed) throws(StoreError) -> PositionIndex {
      let (name, generation) = (feed.description.name, feed.description.generation)
      if let index = known[name], index.generation == generation { return index }
      var all: [Entry] = []
      try feed.forEachImageURL { url, position in
        if position % 4096 == 0, Task.isCancelled { return false }
        all.append(Entry(hash: KeyHash.hash(url), position: position))
        return true
      }
      if Task.isCancelled { throw StoreError(.cancelled, "the client has disconnected") }
      all.sort { ($0.hash, $0.position) < ($1.hash, $1.position) }
      let index = PositionIndex(generation: generation, sorted: all)
      known[name] = index
      return index
    }
  }

#endif
