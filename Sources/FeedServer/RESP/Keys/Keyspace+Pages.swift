#if Server
  import FeedSchema
  import FeedRecord
  import FeedStorage

  extension Keyspace {
    /// The maximum length of a page, which is a JSON array of records. A page with one longer
    /// record exceeds it.
    static var maximumPageBytes: Int { 64 << 10 }
    /// The number of pages that one step visits to find the start of another one.
    private static var stepPages: Int { 2 }

    /// A page of a generation; nil if there is no page with this number.
    ///
    /// Pages are as full as possible, so the start of a page depends on those before it. Reading
    /// them in order costs nothing extra. A client that starts at a late page has to ask again
    /// until all pages before it have been visited.
    func page(
      _ number: Int, of feed: Feed, _ slot: Int
    ) throws(StoreError) -> ServedValue? {
      try withPages(of: slot) { pages throws(StoreError) -> ServedValue? in
        guard number < pages.limit else { return nil }
        let first = min(number, pages.starts.count - 1)
        var json: [UInt8] = []
        for step in first..<first + Self.stepPages {
          guard step < pages.starts.count else { return nil }
          let next = try render(feed, from: pages.starts[step], &json)
          if step == pages.starts.count - 1, !pages.isComplete { pages.add(next) }
          if step == number { return .bytes(json) }
        }
        return .unfinished
      }
    }

    /// The number of pages from `number` on that a scan can list. It is less than `limit` at the
    /// end, or if further steps are needed.
    func pageNumbers(
      from number: Int, limit: Int, of feed: Feed, _ slot: Int
    ) throws(StoreError) -> Int {
      let most = slots[slot].pages.limit
      guard number < most else { return 0 }
      let last = min(number + max(limit, 1), most) - 1
      if slots[slot].pages.starts.count <= last { _ = try page(last, of: feed, slot) }
      return max(min(slots[slot].pages.starts.count, last + 1) - number, 0)
    }

    /// Writes the page that starts with a record.
    ///
    /// - Returns: the start of the next page; nil if there is none
    private func render(
      _ feed: Feed, from start: Int, _ json: inout [UInt8]
    ) throws(StoreError) -> Int? {
      var text: [UInt8] = []
      swap(&text, &json)
      defer { swap(&text, &json) }
      text.removeAll(keepingCapacity: true)
      text.reserveCapacity(Self.maximumPageBytes + (4 << 10))
      var next: Int?
      try feed.scan(from: start) { record, position throws(StoreError) in
        let count = text.count
        text.append(position == start ? UInt8(ascii: "[") : UInt8(ascii: ","))
        try feed.appendJSON(of: record, to: &text)
        guard text.count >= Self.maximumPageBytes, position > start else { return true }
        text.removeSubrange(count...)
        next = position
        return false
      }
      text.append(UInt8(ascii: "]"))
      // Rendering records costs several times as much as copying a response.
      work += 4 * text.count
      return next
    }
  }
#endif
