#if Server
  import FeedRecord
  import FeedStorage
  import Synchronization

  /// The URLs of images that feeds name: the only ones that are ever fetched for somebody.
  ///
  /// Of each feed it keeps the hashes of its URLs, eight bytes each, as long as the generation is
  /// the current one; a URL whose hash is among them is then looked for itself.
  actor ImageURLs {
    private struct Hashes {
      let generation: UInt64
      let sorted: [UInt64]

      func contain(_ hash: UInt64) -> Bool {
        var range = sorted.startIndex..<sorted.endIndex
        while !range.isEmpty {
          let middle = range.lowerBound + range.count / 2
          if sorted[middle] == hash { return true }
          range =
            sorted[middle] < hash ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
      }
    }

    private let store: ServedStore
    private var known: [FeedName: Hashes] = [:]

    init(_ store: ServedStore) { self.store = store }

    func contain(_ url: String) throws(StoreError) -> Bool {
      let text = Array(url.utf8)
      let hash = KeyHash.hash(text.span.bytes)
      let feeds = try store.database.feeds()
      known = known.filter { name, _ in feeds.contains { $0.name == name } }
      for feed in feeds {
        guard try hashes(feed).contain(hash) else { continue }
        var isNamed = false
        try store.database.forEachImageURL(in: feed.name, catalog: store.catalog) { other in
          if other.hasSameBytes(as: text.span.bytes) { isNamed = true }
        }
        if isNamed { return true }
      }
      return false
    }

    private func hashes(_ feed: FeedDescription) throws(StoreError) -> Hashes {
      if let hashes = known[feed.name], hashes.generation == feed.generation { return hashes }
      var all: [UInt64] = []
      try store.database.forEachImageURL(in: feed.name, catalog: store.catalog) { url in
        all.append(KeyHash.hash(url))
      }
      let hashes = Hashes(generation: feed.generation, sorted: all.sorted())
      known[feed.name] = hashes
      return hashes
    }
  }

#endif
