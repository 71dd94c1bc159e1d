import LMDB

extension FeedDatabase {
  /// Removes a feed that is not valid or whose description cannot be read, as it is once nobody
  /// else changes it.
  ///
  /// Whoever has found a feed to have expired may have to wait before it can be deleted, and what
  /// is published meanwhile is not what was found.
  ///
  /// - Parameters:
  ///   - name: the feed.
  ///   - waits: true to wait while the feed is being changed, instead of failing as busy.
  ///   - isValid: whether to keep it.
  /// - Returns: false where it is valid, or there is none.
  /// - Throws: `busy`; `damaged` where the list of feeds is.
  @discardableResult
  func delete(
    _ name: FeedName, waits: Bool = false, unless isValid: (FeedDescription) -> Bool
  ) throws(StoreError) -> Bool {
    let lock = try lock(name, wait: waits) { false }
    defer { withExtendedLifetime(lock) {} }
    let wasDeleted = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) in
      let row = try transaction.reading { view throws(StoreError) -> GenerationRow? in
        guard let row = try tables.currentRow(name, view) else { return nil }
        let envelope = try? tables.envelope(of: row, view)
        if let envelope, isValid(row.description(envelope: envelope)) { return nil }
        return row
      }
      guard var row else { return false }
      row.state = .dead
      do throws(LMDBError) {
        try tables.put(row, &transaction)
      } catch {
        throw StoreError(error)
      }
      try tables.point(name, at: nil, &transaction)
      return true
    }
    guard wasDeleted else { return false }
    try synchronize(after: "the feed \(name) was deleted")
    // It is gone whether or not its pages are free already.
    _ = try? sweep()
    return true
  }
}
