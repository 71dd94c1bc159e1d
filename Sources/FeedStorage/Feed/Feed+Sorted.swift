package import FeedRecord
package import FeedSchema

extension Feed {
  /// The positions of the first records in an order, and the number of all that match.
  ///
  /// - Parameters:
  ///   - query: its conditions; it has no order, offset or limit of its own
  ///   - order: the paths to sort by
  ///   - count: the number of positions, whose sort values are kept in memory
  ///   - isWanted: a further condition
  /// - Throws: `limitExceeded`; `cancelled`; `damaged`; the error of `isWanted`
  package func sortedPositions(
    of query: CompiledQuery, by order: [SortKey], count: Int, _ limits: QueryLimits,
    where isWanted: (RecordView) throws(StoreError) -> Bool
  ) throws(StoreError) -> (positions: [Int], total: Int) {
    var top = TopRecords(order, count: count)
    var total = 0
    var meter = QueryMeter(limits)
    try forEachMatch(of: query, limits) { record, position throws(StoreError) in
      try meter.count(record.bytes.byteCount)
      guard try isWanted(record) else { return true }
      total += 1
      try withJSON(of: record) { text throws(StoreError) in try top.add(text, at: position) }
      return true
    }
    return (top.positions, total)
  }
}
