import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FeedDatabase {
  /// Removes a feed and its records.
  ///
  /// Running scans continue to their end; a later ingest removes what they hold.
  ///
  /// - Parameters:
  ///   - name: the feed
  ///   - waits: true to wait while the feed is being ingested, instead of failing as busy
  ///   - timeout: how long to wait for the ingest; nil to wait without a limit
  /// - Returns: false if there is no such feed
  /// - Throws: `busy` while the feed is being ingested, or after the timeout; `misuse` if it would
  ///   wait for the ingest that called the caller
  @discardableResult
  public func delete(
    _ name: FeedName, waits: Bool = false, timeout: Duration? = nil
  ) throws(StoreError) -> Bool {
    try delete(name, FeedWait(waits: waits, timeout: timeout), keeping: nil)
  }

  /// Removes a feed that is not valid or whose description cannot be read, in its state under the
  /// lock.
  ///
  /// A caller that found a feed to be expired may have to wait before it can be deleted. A
  /// generation that is published meanwhile is not the one that was found.
  ///
  /// - Returns: false if the feed is valid, or there is none
  @discardableResult
  package func delete(
    _ name: FeedName, waits: Bool = false, timeout: Duration? = nil,
    unless isValid: @escaping (FeedDescription) -> Bool
  ) throws(StoreError) -> Bool {
    try delete(name, FeedWait(waits: waits, timeout: timeout), keeping: isValid)
  }

  private func delete(
    _ name: FeedName, _ wait: FeedWait, keeping isKept: ((FeedDescription) -> Bool)?
  ) throws(StoreError) -> Bool {
    let (lock, change) = try lockChange(
      of: name, wait, copies: isKept != nil, { false },
      prepare: { lock throws(StoreError) in
        // Damage of a copy is no reason to delete the feed of all hosts.
        guard isKept != nil, try isUnreadable(name) else { return }
        _ = try authority?.replaceCopy(of: name, in: self, holding: lock)
      })
    defer { withExtendedLifetime(lock) {} }
    guard let change else { return try remove(name, keeping: isKept) }
    defer { change.finish() }
    if isKept != nil, try !removable(name, keeping: isKept) { return false }
    let isShared = try change.delete()
    return try remove(name) || isShared
  }

  /// Removes a feed whose lock the caller holds.
  func remove(
    _ name: FeedName, keeping isKept: ((FeedDescription) -> Bool)? = nil
  ) throws(StoreError) -> Bool {
    let wasDeleted = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) in
      try remove(name, keeping: isKept, &transaction)
    }
    guard wasDeleted else { return false }
    try synchronizeAndSweep(after: "the feed \(name) was deleted")
    return true
  }

  /// Whether the feed exists and is not to be kept.
  private func removable(
    _ name: FeedName, keeping isKept: ((FeedDescription) -> Bool)?
  ) throws(StoreError) -> Bool {
    try tables.environment.read { transaction throws(StoreError) in
      try removable(name, keeping: isKept, transaction) != nil
    }
  }

  private func removable(
    _ name: FeedName, keeping isKept: ((FeedDescription) -> Bool)?,
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> GenerationRow? {
    let row = try tables.currentRow(name, transaction)
    guard let isKept, let row, let description = description(of: row, transaction) else {
      return row
    }
    return isKept(description) ? nil : row
  }

  /// The description of a feed; nil if it is damaged.
  private func description(
    of row: GenerationRow, _ transaction: borrowing ReadTransaction
  ) -> FeedDescription? {
    guard let envelope = try? tables.envelope(of: row, transaction),
      let schema = try? schema(of: row, transaction)
    else { return nil }
    return row.description(envelope: envelope, schema)
  }

  /// Whether the feed exists and its description is damaged.
  private func isUnreadable(_ name: FeedName) throws(StoreError) -> Bool {
    try tables.environment.read { transaction throws(StoreError) in
      guard let row = try tables.currentRow(name, transaction) else { return false }
      return description(of: row, transaction) == nil
    }
  }

  private func remove(
    _ name: FeedName, keeping isKept: ((FeedDescription) -> Bool)?,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    let current = try transaction.reading { view throws(StoreError) in
      try removable(name, keeping: isKept, view)
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

  /// - Parameter timeout: how long the change was waited for; nil if it was not
  func busy(_ name: FeedName, after timeout: Duration? = nil) -> StoreError {
    let isOwn = locks.isHeldHere(name)
    let holder = isOwn ? nil : locks.holder(of: name)
    let other = isOwn ? "this process already" : FileLock.name(ofHolder: holder)
    let change = "the feed \(name) is being changed by \(other)"
    guard let timeout, timeout > .zero else {
      return StoreError(.busy, "\(change); wait or try again later", path: directory)
    }
    return StoreError(
      .busy,
      "\(change), which has not finished within \(timeout.secondsText);"
        + " \(FileLock.remedy(forHolder: holder))",
      path: directory)
  }

  /// The error if a writer of another host changes the feed.
  func sharedBusy(_ name: FeedName, after timeout: Duration?) -> StoreError {
    let change = "the feed \(name) is being changed by a process of this or another host"
    guard let timeout, timeout > .zero else {
      return StoreError(.busy, "\(change); wait or try again later")
    }
    return StoreError(
      .busy, "\(change), which has not finished within \(timeout.secondsText); try again later")
  }

  /// Makes a visible change durable and then removes the data it has replaced. If the removal
  /// fails, the change remains.
  func synchronizeAndSweep(after change: String) throws(StoreError) {
    try flush(after: change)
    // A sweep that removes something also commits, which makes another commit unnecessary.
    let report = try? sweep()
    if (report?.removed ?? 0) == 0 { tables.environment.commitAgain() }
  }

  /// Makes a visible change durable.
  func synchronize(after change: String) throws(StoreError) {
    try flush(after: change)
    tables.environment.commitAgain()
  }

  private func flush(after change: String) throws(StoreError) {
    do throws(LMDBError) {
      try tables.environment.flush()
    } catch {
      // The error's own code would be wrong: that of a full disk means that nothing was changed.
      throw StoreError(
        .ioError,
        "\(change), but the system failed to make the change durable, so a power cut can undo it:"
          + " \(error.message)",
        path: error.path, cause: error)
    }
  }
}

extension FeedDescription {
  /// The time at which it was loaded or saved, bit for bit.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: referenceSeconds) }
}

/// The result of validating a cached feed.
public enum CacheValidation: String, Hashable, Sendable {
  /// There is no such feed.
  case absent
  /// It is valid and was kept.
  case valid
  /// It had expired and was deleted.
  case expired
  /// It was unreadable and was deleted.
  case unreadable
}

extension FeedDatabase {
  /// Deletes a feed that is not valid or is unreadable. Does not read the records. A feed that is
  /// published in its place meanwhile is kept if it is valid.
  ///
  /// - Parameters:
  ///   - name: the feed
  ///   - isValid: whether a feed is valid; called again under the feed's lock
  /// - Throws: `busy` if the feed is to be deleted while another process changes it; `damaged` if
  ///   the list of feeds is.
  @discardableResult
  public func validate(
    _ name: FeedName, isValid: @escaping (FeedDescription) -> Bool
  ) throws(StoreError) -> CacheValidation {
    let found: CacheValidation
    do throws(StoreError) {
      try refresh(name)
      guard let feed = try feedDescription(named: name) else { return .absent }
      if isValid(feed) { return .valid }
      found = .expired
    } catch {
      guard error.code == .damaged else { throw error }
      found = .unreadable
    }
    if try delete(name, unless: isValid) { return found }
    return try feedDescription(named: name) == nil ? .absent : .valid
  }
}
