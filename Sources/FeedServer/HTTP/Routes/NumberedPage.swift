#if Server
  import FeedRecord
  import FeedStorage

  /// A page by its number, as the apps' services have them, with how many records there are.
  struct NumberedPage {
    /// The records, separated by commas.
    private(set) var records: [UInt8] = []
    /// The records of all pages together.
    private(set) var total: Int

    /// - Parameters:
    ///   - number: counted from 1.
    ///   - size: the records of a whole page.
    init(_ resource: FeedResource, number: Int, size: Int, _ filter: RecordFilter) async throws {
      let lease = try resource.lease()
      let count = lease.description.recordCount
      let first = (number - 1).multipliedReportingOverflow(by: size)
      let start = first.overflow ? count : min(first.partialValue, count)
      if filter.isEmpty {
        total = count
        try append(lease, from: start, limit: size, resource.feed)
      } else {
        total = 0
        try await withTaskExecutorPreference(SearchThreads.shared) {
          try await search(lease, from: start, limit: size, filter, resource.feed)
        }
      }
    }

    private mutating func append(
      _ lease: LeasedFeed, from start: Int, limit: Int, _ feed: ServedFeed
    ) throws(StoreError) {
      guard start < total else { return }
      var rest = limit
      try lease.forEachRecord(from: start) { record, _ throws(StoreError) in
        try append(record, feed)
        rest -= 1
        return rest > 0
      }
    }

    private mutating func append(
      _ record: borrowing RecordView, _ feed: ServedFeed
    ) throws(StoreError) {
      if !records.isEmpty { records.append(0x2C) }
      try feed.append(record, to: &records)
    }

    /// Counts all that fit, and writes those of the page.
    @concurrent
    private mutating func search(
      _ lease: LeasedFeed, from start: Int, limit: Int, _ filter: RecordFilter, _ feed: ServedFeed
    ) async throws {
      var position = 0
      while position < lease.description.recordCount {
        var step = SearchStep()
        try lease.forEachRecord(from: position) { record, at throws(StoreError) in
          position = at + 1
          if try filter.fits(record) {
            if total >= start, total - start < limit { try append(record, feed) }
            total += 1
          }
          return step.goesOn(behind: record)
        }
        await Task.yield()
        try Task.checkCancellation()
      }
    }

    /// How many pages there are.
    func pages(of size: Int) -> Int { total / size + (total % size == 0 ? 0 : 1) }
  }
#endif
