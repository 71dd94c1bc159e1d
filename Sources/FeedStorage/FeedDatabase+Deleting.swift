import LMDB

extension FeedDatabase {
  /// Removes a feed and its records.
  ///
  /// Scans that are under way read on to their end; what they hold is
  /// removed by a later ingest.
  ///
  /// - Parameters:
  ///   - name: the feed
  ///   - waits: true to wait while the feed is being ingested, instead of failing as busy
  /// - Returns: false where there is no such feed
  /// - Throws: `busy` while the feed is being ingested; `misuse` where it would wait for the ingest
  ///   that has called its caller
  @discardableResult
  public func delete(_ name: FeedName, waits: Bool = false) throws(StoreError) -> Bool {
    try delete(name, waits: waits, keeping: nil)
  }

  /// Removes a feed that is not valid or whose description cannot be read, as it is once nobody
  /// else changes it.
  ///
  /// Whoever has found a feed to have expired may have to wait before it can be deleted, and what
  /// is published meanwhile is not what was found.
  ///
  /// - Returns: false where it is valid, or there is none
  @discardableResult
  func delete(
    _ name: FeedName, waits: Bool = false, unless isValid: @escaping (FeedDescription) -> Bool
  ) throws(StoreError) -> Bool {
    try delete(name, waits: waits, keeping: isValid)
  }

  private func delete(
    _ name: FeedName, waits: Bool, keeping isKept: ((FeedDescription) -> Bool)?
  ) throws(StoreError) -> Bool {
    let lock = try lock(name, wait: waits) { false }
    defer { withExtendedLifetime(lock) {} }
    let wasDeleted = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) in
      try remove(name, keeping: isKept, &transaction)
    }
    guard wasDeleted else { return false }
    try synchronizeAndSweep(after: "the feed \(name) was deleted")
    return true
  }

  private func remove(
    _ name: FeedName, keeping isKept: ((FeedDescription) -> Bool)?,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    let current = try transaction.reading { view throws(StoreError) -> GenerationRow? in
      let row = try tables.currentRow(name, view)
      guard let isKept, let row, let envelope = try? tables.envelope(of: row, view) else {
        return row
      }
      return isKept(row.description(envelope: envelope)) ? nil : row
    }
    guard var row = current else { return false }
    row.state = .dead
    do throws(LMDBError) {
      try tables.put(row, &transaction)
    } catch {
      throw StoreError(error)
    }
    try tables.point(name, at: nil, &transaction)
    return true
  }

  func busy(_ name: FeedName) -> StoreError {
    let other = locks.isHeldHere(name) ? "this process already" : "another process"
    return StoreError(
      .busy, "the feed \(name) is being changed by \(other); wait for it or try later",
      path: directory)
  }

  /// Makes a change last that everybody sees already, and then removes what it has replaced: whether
  /// or not that succeeds, the change counts.
  func synchronizeAndSweep(after change: String) throws(StoreError) {
    try flush(after: change)
    // What a sweep removes is a commit, and that is all that is wanted beside it.
    let report = try? sweep()
    if (report?.removed ?? 0) == 0 { tables.environment.commitAgain() }
  }

  /// Makes a change last that everybody sees already.
  func synchronize(after change: String) throws(StoreError) {
    try flush(after: change)
    tables.environment.commitAgain()
  }

  private func flush(after change: String) throws(StoreError) {
    do throws(LMDBError) {
      try tables.environment.flush()
    } catch {
      // Not the error's own code: those of a full disk say that nothing was changed.
      throw StoreError(
        .ioError,
        "\(change), but the system failed to make that last, so that a power cut can undo it:"
          + " \(error.message)",
        path: error.path, cause: error)
    }
  }
}
