#if Server
  import FeedRecord
  import FeedStorage

  /// The URLs of images that feeds name. Only these are fetched for clients.
  ///
  /// For each feed it stores the positions of its URLs by their hashes, 16 bytes each, while the
  /// generation is current. The record then confirms whether it names a URL.
  actor ImageURLs {
    private struct Place {
      let hash: UInt64
      /// The position of a record that names a URL with this hash.
      let position: Int
    }

    private struct Places {
      let generation: UInt64
      let sorted: [Place]

      /// The positions for a hash. All of them name one URL, unless hashes collide.
      func places(of hash: UInt64) -> some Sequence<Place> {
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
    private var known: [FeedName: Places] = [:]

    init(_ store: ServedStore) { self.store = store }

    /// Whether a feed names a URL. The first call for a generation reads all of it.
    ///
    /// - Throws: `cancelled` if the caller was cancelled; `damaged`
    func contain(_ url: String) throws(StoreError) -> Bool {
      let text = Array(url.utf8)
      let hash = KeyHash.hash(text.span.bytes)
      while true {
        // Callers may have been cancelled while they waited for their turn.
        if Task.isCancelled { throw StoreError(.cancelled, "nobody waits for the image") }
        let feeds = try store.database.feeds()
        known = known.filter { name, _ in feeds.contains { $0.name == name } }
        var isCurrent = true
        for feed in feeds {
          let places = try places(in: feed)
          for place in places.places(of: hash) {
            let (isNamed, generation) = try look(for: text, at: place.position, in: feed.name)
            if isNamed { return true }
            if generation != places.generation { isCurrent = false }
          }
        }
        if isCurrent { return false }
      }
    }

    /// Whether the record at a position names a URL, and the generation of the record.
    private func look(
      for text: [UInt8], at position: Int, in name: FeedName
    ) throws(StoreError) -> (isNamed: Bool, generation: UInt64) {
      var isNamed = false
      let generation = try store.database.forEachImageURL(
        in: name, from: position, catalog: store.catalog
      ) { url, place in
        guard place == position else { return false }
        if url.hasSameBytes(as: text.span.bytes) { isNamed = true }
        return !isNamed
      }
      return (isNamed, generation)
    }

    private func places(in feed: FeedDescription) throws(StoreError) -> Places {
      if let places = known[feed.name], places.generation == feed.generation { return places }
      var all: [Place] = []
      let generation = try store.database.forEachImageURL(
        in: feed.name, from: 0, catalog: store.catalog
      ) { url, position in
        all.append(Place(hash: KeyHash.hash(url), position: position))
        return true
      }
      all.sort { ($0.hash, $0.position) < ($1.hash, $1.position) }
      let places = Places(generation: generation, sorted: all)
      known[feed.name] = places
      return places
    }
  }

#endif
