#if Server
  import FeedRecord
  import FeedStorage

  /// A page by its number, as the apps' services provide them, with the total number of records.
  struct NumberedPage {
    /// The feed of the records.
    let feed: Feed
    /// The positions of the page's records.
    private(set) var runs: [Range<Int>] = []
    /// The number of records on all pages together. While a service has more than the feed, it is
    /// the number that the service states.
    private(set) var total: Int

    /// - Parameters:
    ///   - number: counted from 1.
    ///   - size: the records of a whole page.
    init(_ resource: FeedResource, number: Int, size: Int, _ filter: RecordFilter) async throws {
      feed = resource.feed
      let count = feed.description.recordCount
      let first = (number - 1).multipliedReportingOverflow(by: size)
      let start = first.overflow ? count : min(first.partialValue, count)
      if filter.isEmpty {
        total = resource.statedCount ?? count
        runs = [start..<min(start + size, count)]
      } else {
        total = 0
        try await withTaskExecutorPreference(SearchThreads.shared) {
          try await search(from: start, limit: size, filter)
        }
      }
    }

    /// Counts all matching records and collects the positions of the page.
    @concurrent
    private mutating func search(
      from start: Int, limit: Int, _ filter: RecordFilter
    ) async throws {
      var position = 0
      while position < feed.description.recordCount {
        var step = SearchStep()
        try feed.scan(from: position) { record, at throws(StoreError) in
          position = at + 1
          if try filter.fits(record, of: feed) {
            if total >= start, total - start < limit { runs.append(position: at) }
            total += 1
          }
          return step.shouldContinue(after: record)
        }
        await Task.yield()
        try Task.checkCancellation()
      }
    }

    /// The number of pages.
    func pages(of size: Int) -> Int { total / size + (total % size == 0 ? 0 : 1) }
  }
#endif
