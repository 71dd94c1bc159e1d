import LMDB

extension FeedDatabase {
  /// The row of a feed as other copies of the store receive it; nil if there is no such feed.
  package func sharedRow(of name: FeedName) throws(StoreError) -> SharedRow? {
    try tables.environment.read { transaction throws(StoreError) in
      guard let row = try tables.currentRow(name, transaction) else { return nil }
      return SharedRow(
        row, envelope: try tables.envelope(of: row, transaction), store: identifier)
    }
  }

  /// Stores a finished generation that readers do not see yet.
  func seal(
    _ row: GenerationRow, envelope: [UInt8], schema: [UInt8],
    _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    try transaction.reading { view throws(StoreError) in try requireBegun(row.generation, view) }
    var row = row
    row.state = .building
    do throws(LMDBError) {
      try tables.put(row, envelope: envelope, schema: schema, &transaction)
    } catch {
      throw StoreError(error)
    }
  }

  /// Makes a sealed generation visible.
  func publishSealed(
    _ row: GenerationRow, envelope: [UInt8], schema: [UInt8]
  ) throws(StoreError) {
    try tables.environment.write { (transaction: inout WriteTransaction) throws(StoreError) in
      try publish(row, envelope: envelope, schema: schema, .always, &transaction)
    }
  }

  /// The lock of a feed; nil while another holder changes the feed.
  package func lockFeed(_ name: FeedName) throws(StoreError) -> FeedLock? { try locks.feed(name) }

  /// Brings the copy of a feed up to date. Does nothing in a store that is not a copy.
  ///
  /// - Returns: the reason why the copy is out of date, if a copy exists and could not be updated
  /// - Throws: an error of the shared store if no copy exists; any other error of the update
  @discardableResult
  package func refresh(_ name: FeedName) throws(StoreError) -> StoreError? {
    guard let authority else { return nil }
    do throws(StoreError) {
      try authority.refresh(name, in: self)
      return nil
    } catch {
      // If copies have a limit, a later generation may not fit or may have to wait.
      let isOld: [StoreError.Code] =
        authority.limitsCopies
        ? [.unreachable, .damaged, .diskFull, .busy] : [.unreachable, .damaged]
      guard isOld.contains(error.code), try feedDescription(named: name) != nil
      else { throw error }
      return error
    }
  }

  /// Replaces a damaged copy of a feed by another copy.
  ///
  /// - Returns: false if this store is not a copy, or the shared store does not have the feed; the
  ///   copy then stays
  /// - Throws: an error of the shared store; `busy` while the feed is changed
  @discardableResult
  package func replaceCopy(of name: FeedName, _ wait: FeedWait) throws(StoreError) -> Bool {
    guard let authority else { return false }
    let lock = try lock(name, wait) { false }
    defer { withExtendedLifetime(lock) {} }
    return try authority.replaceCopy(of: name, in: self, holding: lock)
  }

  /// Whether a request for a feed may have to copy it: copies have a limit, the shared store may
  /// have the feed, and this copy lacks it.
  package func mayCopy(_ name: FeedName) throws(StoreError) -> Bool {
    guard let authority, authority.limitsCopies, authority.mayHaveFeed(name) else { return false }
    return try feedDescription(named: name) == nil
  }

  /// Removes the copy of a feed. The shared store keeps the feed.
  package func removeCopy(of name: FeedName, holding lock: FeedLock) throws(StoreError) {
    _ = try remove(name)
  }
}

extension FeedChange {
  /// Requires that the shared store has the generation of the copy, before a change keeps its blocks.
  ///
  /// After a loss, the shared store may lack blocks that the copy lists, and may remove others.
  ///
  /// - Throws: `damaged`
  func requireBase(_ copy: GenerationRow) throws(StoreError) {
    guard baseGeneration != copy.generation else { return }
    throw StoreError(lost: copy.name, generation: copy.generation)
  }
}

extension StoreError {
  /// The error of a feed of which this copy has a later state than the shared store.
  package init(lost name: FeedName, generation: UInt64) {
    self.init(
      .damaged,
      "the cluster has lost the present state of the feed \(name), and this host has generation"
        + " \(generation); run store repair \(name) on the host with the latest generation, or ingest"
        + " the whole feed again")
  }
}
