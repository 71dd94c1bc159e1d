public import FeedSchema
import LMDB

extension FeedDatabase {
  /// Gives a feed a new timestamp without changing its records, for a payload that has not changed
  /// (RFC 9110, section 15.4.5, "304 Not Modified").
  ///
  /// The generation and its scans are not affected. Costs one small transaction and a sync.
  ///
  /// - Parameters:
  ///   - name: the feed.
  ///   - referenceSeconds: when it was known to be current, in seconds since 2001-01-01T00:00:00Z.
  ///   - validators: the validators that the server has sent now; nil keeps the old ones.
  ///   - condition: the condition on the feed's current state.
  /// - Returns: the renewed feed; nil if there is no such feed.
  /// - Throws: `conflict` if the condition is not met; `damaged`; `diskFull`.
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
