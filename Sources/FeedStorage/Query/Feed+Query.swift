public import FeedRecord
package import FeedSchema
package import JSONStream
import Synchronization
import Threading

extension Feed {
  // MARK: Records

  /// Calls `body` with each record that matches a query, and its position in the feed.
  ///
  /// Equality on the key or an indexed field is looked up in the index. Every other query reads all
  /// records; records of a contract are converted to JSON for it. Sorting keeps the sort values of
  /// `offset + limit` records in memory, at most 100,000.
  ///
  /// - Parameters:
  ///   - query: conditions, order, offset and limit
  ///   - body: receives each record and its position
  /// - Throws: `QueryError` for a query that cannot be read; ``StoreError`` as for a scan;
  ///   `limitExceeded` if the values to sort by do not fit in 64 MiB; the error of `body`
  public func forEachRecord(
    matching query: FeedQuery, _ body: (RecordView, Int) throws -> Void
  ) throws {
    var caught = CaughtError()
    try forEachMatch(of: CompiledQuery(query, for: self), needsText: false) {
      (record, position, _) throws(StoreError) in
      caught.pass(record, position, to: body)
    }
    try caught.rethrow()
  }

  /// The same for code of this package: `body` receives the JSON text too, and returns whether to
  /// continue.
  ///
  /// - Parameters:
  ///   - start: the position of the first record to look at, for a query without an order
  ///   - needsText: whether `body` reads the text, which otherwise may be empty
  package func forEachMatch(
    of query: CompiledQuery, _ limits: QueryLimits = .none, from start: Int = 0,
    needsText: Bool = true, _ body: (RecordView, Int, RawSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var reached = start
    try forEachMatch(
      of: query, limits, from: start, needsText: needsText, reached: &reached, body)
  }

  /// The same; `reached` becomes the position of the last record that was examined, or at which a
  /// limit ended the query.
  package func forEachMatch(
    of query: CompiledQuery, _ limits: QueryLimits, from start: Int, needsText: Bool,
    reached: inout Int, _ body: (RecordView, Int, RawSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard query.sort.isEmpty else {
      let end = query.offset + (query.limit ?? 0)
      let sorted = try sortedPositions(of: query, by: query.sort, count: end, limits)
      for position in sorted.positions.dropFirst(query.offset) {
        var shouldContinue = true
        _ = try visit(position) { record, position throws(StoreError) in
          shouldContinue = try withJSON(of: record) { text throws(StoreError) in
            try body(record, position, text)
          }
          return false
        }
        if !shouldContinue { return }
      }
      return
    }
    var left = query.limit ?? .max
    var toSkip = query.offset
    var start = min(start, description.recordCount)
    if case .all = query.plan {
      // Records that are skipped are not read.
      start += min(toSkip, description.recordCount - start)
      toSkip = 0
    }
    guard left > 0 else { return }
    try forEachCandidate(
      of: query, in: start..<description.recordCount, limits, needsText: needsText,
      reached: &reached
    ) { (record, position, text) throws(StoreError) in
      guard toSkip == 0 else {
        toSkip -= 1
        return true
      }
      guard try body(record, position, text) else { return false }
      left -= 1
      return left > 0
    }
  }

  /// The positions of the first matching records in sort order, and the number of all matching
  /// records.
  ///
  /// - Parameters:
  ///   - query: its conditions
  ///   - order: the paths to sort by
  ///   - count: the number of positions; the sort values of as many records are kept in memory
  ///   - isWanted: a further condition
  /// - Throws: `limitExceeded`; `cancelled`; `damaged`; the error of `isWanted`
  package func sortedPositions(
    of query: CompiledQuery, by order: [SortKey], count: Int, _ limits: QueryLimits,
    where isWanted: @escaping @Sendable (RecordView) throws(StoreError) -> Bool = { _ in true }
  ) throws(StoreError) -> (positions: [Int], total: Int) {
    let top = try gather(query, limits, TopRecords(order, count: count)) {
      (top, record, text, position) throws(StoreError) in
      if try isWanted(record) { try top.add(text, at: position) }
    } merge: { (top, other) throws(StoreError) in
      try top.merge(other)
    }
    return (top.positions, top.total)
  }

  // MARK: Summaries

  /// The number of records that match a query, regardless of its offset and limit.
  ///
  /// - Throws: as ``forEachRecord(matching:_:)``
  public func count(matching query: FeedQuery) throws -> Int {
    try count(of: CompiledQuery(query, for: self))
  }

  package func count(
    of query: CompiledQuery, _ limits: QueryLimits = .none
  ) throws(StoreError) -> Int {
    if case .all = query.plan { return description.recordCount }
    return try gather(query, limits, 0) { (count, _, _, _) throws(StoreError) in
      count += 1
    } merge: { (count, other) throws(StoreError) in
      count += other
    }
  }

  /// The distinct values of a path in the records that match a query, regardless of its offset and
  /// limit.
  ///
  /// - Throws: `limitExceeded` if the values do not fit in 64 MiB
  package func distinctValues(
    _ path: JSONPath, of query: CompiledQuery, _ limits: QueryLimits = .none
  ) throws(StoreError) -> DistinctValues {
    let full = StoreError(
      .limitExceeded, "\(path.text): the distinct values have more than 64 MiB")
    return try gather(query, limits, DistinctValues(path)) {
      (values, _, text, _) throws(StoreError) in
      values.add(text)
      if values.isFull { throw full }
    } merge: { (values, other) throws(StoreError) in
      values.merge(other)
      if values.isFull { throw full }
    }
  }

  // MARK: Reading

  /// Adds all matching records to a summary. A scan is divided among threads.
  private func gather<Summary: Sendable>(
    _ query: CompiledQuery, _ limits: QueryLimits, _ empty: Summary,
    _ add: @escaping @Sendable (inout Summary, RecordView, RawSpan, Int) throws(StoreError) -> Void,
    merge: (inout Summary, Summary) throws(StoreError) -> Void
  ) throws(StoreError) -> Summary {
    let total = description.recordCount
    let threads = query.readsAll ? max(min(limits.threads, total / 4096), 1) : 1
    let parts = (0..<threads).map { total * $0 / threads..<total * ($0 + 1) / threads }
    let results = onThreads(parts) { [self] part throws(StoreError) in
      var summary = empty
      var reached = 0
      try forEachCandidate(of: query, in: part, limits, needsText: true, reached: &reached) {
        (record, position, text) throws(StoreError) in
        try add(&summary, record, text, position)
        return true
      }
      return summary
    }
    var summary = try results[0].get()
    for result in results.dropFirst() { try merge(&summary, try result.get()) }
    return summary
  }

  /// Calls `body` with each record that meets the conditions, in the order of the feed.
  private func forEachCandidate(
    of query: CompiledQuery, in part: Range<Int>, _ limits: QueryLimits, needsText: Bool,
    reached: inout Int, _ body: (RecordView, Int, RawSpan) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var meter = QueryMeter(limits)
    var matcher = QueryMatcher(query.conditions)
    var scratch: [UInt8] = []
    func test(_ record: RecordView, _ position: Int) throws(StoreError) -> Bool {
      guard position >= part.lowerBound else { return true }
      reached = position
      try meter.count(record.bytes.byteCount)
      if !needsText, query.conditions.isEmpty { return try body(record, position, RawSpan()) }
      return try withJSON(of: record, &scratch) { text throws(StoreError) in
        guard matcher.matches(text) else { return true }
        return try body(record, position, text)
      }
    }
    guard case .index(let field, _, let keys) = query.plan else {
      return try scan(from: part.lowerBound) { record, position throws(StoreError) in
        guard position < part.upperBound else { return false }
        return try test(record, position)
      }
    }
    guard keys.count > 1 else {
      guard let key = keys.first else { return }
      _ = try lookUp(key.span.bytes, field: field, test)
      return
    }
    var positions: Set<Int> = []
    for key in keys {
      _ = try lookUp(key.span.bytes, field: field) { _, position throws(StoreError) in
        positions.insert(position)
        return true
      }
    }
    for position in positions.sorted() where position >= part.lowerBound {
      var shouldContinue = true
      _ = try visit(position) { record, position throws(StoreError) in
        shouldContinue = try test(record, position)
        return false
      }
      if !shouldContinue { return }
    }
  }
}

extension CompiledQuery {
  /// Whether every record is read.
  fileprivate var readsAll: Bool {
    if case .index = plan { return false }
    return true
  }
}

/// Runs a body for each part on a separate thread; the first part runs on the caller's thread.
private func onThreads<Part: Sendable, Value: Sendable>(
  _ parts: [Part], _ body: @escaping @Sendable (Part) throws(StoreError) -> Value
) -> [Result<Value, StoreError>] {
  @Sendable func run(_ part: Part) -> Result<Value, StoreError> {
    do throws(StoreError) {
      return .success(try body(part))
    } catch {
      return .failure(error)
    }
  }
  let others = parts.dropFirst().map { part in
    let slot = ResultSlot<Result<Value, StoreError>>()
    return (part, slot, WorkerThread { slot.value.withLock { $0 = run(part) } })
  }
  let first = parts.prefix(1).map(run)
  return first
    + others.map { part, slot, thread in
      thread?.join()
      return slot.value.withLock { $0 } ?? run(part)
    }
}

private final class ResultSlot<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
