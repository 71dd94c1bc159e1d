#if Server
  import FeedSchema
  import FeedRecord
  import FeedStorage
  import JSONStream

  /// Some records of a feed, starting at a position, in memory.
  struct FeedPage {
    private let resource: FeedResource
    private let entries: [Entry]
    /// The start of the next page; nil if this is the last.
    let next: PageCursor?

    /// A record in the form of its contract, and as an entry for feed readers.
    private struct Entry {
      let json: Range<Int>
      let syndicated: SyndicatedEntry?
    }

    private let bytes: [UInt8]

    init(
      _ resource: FeedResource, from position: Int, limit: Int, bytes pageBytes: Int,
      format: FeedFormat
    ) throws {
      self.resource = resource
      let feed = resource.feed
      let schema = feed.schema
      var bytes: [UInt8] = []
      var entries: [Entry] = []
      if position < feed.description.recordCount {
        let base = feed.description.baseURL
        try feed.scan(from: position) { record, at throws(StoreError) in
          let start = bytes.count
          try feed.appendJSON(of: record, to: &bytes)
          var syndicated: SyndicatedEntry?
          if format.isSyndicated {
            let address =
              schema.document == nil ? nil : try feed.address(of: record, at: at)
            var entry = try feed.withFields(of: record) { record throws(StoreError) in
              try SyndicatedEntry(
                record, feed.contract, address: address, relativeTo: base, json: bytes[start...])
            }
            if try Self.isRepeated(entry.id, before: at, feed) {
              let json = bytes.span.bytes.extracting(start..<bytes.count)
              entry.variant = String(KeyHash.hash(json), radix: 36)
            }
            syndicated = entry
          }
          entries.append(Entry(json: start..<bytes.count, syndicated: syndicated))
          return entries.count < limit && bytes.count < pageBytes
        }
      }
      self.bytes = bytes
      self.entries = entries
      let end = position + entries.count
      next =
        end < feed.description.recordCount
        ? PageCursor(generation: feed.description.generation, position: end) : nil
    }

    /// Whether an earlier record has the same key. Readers treat entries with the same id as one
    /// (RFC 4287, section 4.2.6) and would drop one of them.
    private static func isRepeated(
      _ key: String, before position: Int, _ feed: Feed
    ) throws(StoreError) -> Bool {
      guard let key = feed.keyBytes(ofText: key) else { return false }
      var isRepeated = false
      _ = try feed.lookUp(key.span.bytes) { (_, first) throws(StoreError) in
        isRepeated = first < position
        return false
      }
      return isRepeated
    }

    /// - Parameter next: the path of the next page.
    func body(_ format: FeedFormat, next: String?, _ request: APIRequest) throws -> [UInt8] {
      switch format {
      case .json: json(next: next)
      case .ndjson: entries.reduce(into: []) { $0 += bytes[$1.json] + [0x0A] }
      case .jsonfeed:
        JSONFeedDocument(resource.feed, next: next, request).text(entries.compactMap(\.syndicated))
      case .atom:
        AtomDocument(resource.feed, next: next, request).text(entries.compactMap(\.syndicated))
      // `QueryWriter` writes these formats.
      case .csv, .tsv: []
      }
    }

    /// The records, separated by commas.
    var joined: [UInt8] {
      var records: [UInt8] = []
      records.reserveCapacity(bytes.count + entries.count)
      for (index, entry) in entries.enumerated() {
        if index > 0 { records.append(0x2C) }
        records += bytes[entry.json]
      }
      return records
    }

    private func json(next: String?) -> [UInt8] {
      var line = FeedLine(resource.description).line
      line.add("records", json: [0x5B] + joined + [0x5D])
      line.add("next", next)
      if resource.current.failure != nil { line.add("stale", true) }
      return line.text + [0x0A]
    }
  }
#endif
