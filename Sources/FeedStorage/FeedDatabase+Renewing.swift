public import FeedPayloads
import LMDB

extension FeedDatabase {
  /// Gives a feed a new timestamp without its records: for a payload that is found not to have
  /// changed (RFC 9110, section 15.4.5, "304 Not Modified").
  ///
  /// The generation stays, and so does every scan of it. One small transaction and a sync.
  ///
  /// - Parameters:
  ///   - name: the feed.
  ///   - referenceSeconds: when it is known to be current, in seconds since 2001-01-01T00:00:00Z.
  ///   - validators: what the server has said this time; nil keeps what it said before.
  ///   - condition: what has to be true of the feed for it to be renewed.
  /// - Returns: the feed as it is now; nil where there is no such feed.
  /// - Throws: `conflict` where the condition is not met; `damaged`; `diskFull`.
  @discardableResult
  public func renew(
    _ name: FeedName, referenceSeconds: Double, validators: ResponseValidators? = nil,
    condition: PublishCondition = .always
  ) throws(StoreError) -> FeedDescription? {
    let renewed = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) -> FeedDescription? in
      let current = try transaction.reading { view throws(StoreError) in
        let row = try tables.currentRow(name, view)
        return (row, try row.map { row throws(StoreError) in try tables.envelope(of: row, view) })
      }
      try condition.require(current.0?.generation, of: name)
      guard var row = current.0 else { return nil }
      row.referenceBits = referenceSeconds.bitPattern
      row.validators = validators ?? row.validators
      do throws(LMDBError) {
        try tables.put(row, &transaction)
      } catch {
        throw StoreError(error)
      }
      return row.description(envelope: current.1 ?? [])
    }
    if renewed != nil { try synchronize(after: "the feed \(name) was renewed") }
    return renewed
  }
}
