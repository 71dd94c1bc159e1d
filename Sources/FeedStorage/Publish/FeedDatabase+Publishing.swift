import FeedRecord
public import FeedSchema
import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FeedDatabase {
  /// Begins an ingest: waits for the feed's lock if asked to, sweeps, removes leftovers of killed
  /// compactions next to the file, and reserves the number of a new generation. The row of the
  /// generation is committed with its first blocks.
  ///
  /// - Parameter isCancelled: called from time to time, also later by the writer
  /// - Throws: `busy`, also after the timeout of a wait, and if a reader has made the file grow
  ///   beyond its limit; `cancelled`;
  ///   `conflict`; `invalidKind` for an append to a feed of another kind or layout; `misuse` for a
  ///   field that cannot be indexed, for too many of them, and for a wait for the caller's own
  ///   ingest; `diskFull`
  package func beginGeneration(
    _ request: GenerationRequest, isCancelled: @escaping () -> Bool
  ) throws(StoreError) -> GenerationWriter {
    var indexedFields = try request.orderedIndexedFields()
    let name = request.name
    let start = try beginChange(
      of: name, request.wait, request.condition, copies: request.mode == .append, isCancelled)
    let current = start.current
    // A feed of documents without records has no form that further records could contradict.
    let isFirst =
      current.map { $0.row.details.form == .document && $0.description.recordCount == 0 } ?? true
    let appended = request.mode == .append && !isFirst ? current : nil
    if let appended {
      try start.change?.requireBase(appended.row)
      indexedFields = try self.indexedFields(indexedFields, of: request, addedTo: appended.row)
    } else if request.keepsIndexes, let row = current?.row, row.kind == request.kind,
      request.schema?.document == nil, row.details.form != .document
    {
      indexedFields = request.indexedFields(indexedFields, keeping: row.indexedFields)
    }
    var row = GenerationRow(
      state: .building, generation: start.number, name: name, kind: request.kind,
      layout: request.layout, keyField: request.keyField, indexedFields: indexedFields,
      segments: [start.segment])
    let schema = try request.schemaText(indexedBy: indexedFields)
    row.details = GenerationDetails(
      recordsPointer: request.schema?.recordsPointer ?? "", keyFields: [request.keyField])
    if let form = request.schema?.document { row.details.describe(form) }
    return try GenerationWriter(
      self,
      GenerationBase(
        row, schema: schema, appended: appended, keepsEqualRecords: request.keepsEqualRecords,
        smallFeedBytes: smallFeedBytes),
      start, condition: request.condition, isCancelled: isCancelled)
  }

  /// The state with which a new generation begins.
  struct GenerationStart {
    let feedLock: FeedLock
    /// The change of the shared store, if this store is a copy of one.
    let change: (any FeedChange)?
    /// The feed that is replaced or added to.
    let current: PublishedGeneration?
    /// The lineage of the file in which the generation begins.
    let lineage: UInt64
    let number: UInt64
    let buildingLock: FileLock

    /// The segment of the generation, still empty.
    var segment: Segment {
      Segment(identifier: number, recordCount: 0, blockCount: 0, byteCount: 0)
    }
  }

  /// Excludes other changes of a feed, runs a sweep, and reserves the number of a generation.
  ///
  /// - Parameter copies: whether the change needs the present records of a shared store
  func beginChange(
    of name: FeedName, _ wait: FeedWait, _ condition: PublishCondition, copies: Bool,
    _ isCancelled: () -> Bool
  ) throws(StoreError) -> GenerationStart {
    let (feedLock, change) = try lockChange(of: name, wait, copies: copies, isCancelled)
    let (current, lineage) = try published(name)
    let replaced = change == nil ? current?.row.generation : change?.baseGeneration
    try condition.require(replaced, of: name)
    try StoreSpace(tables.environment, growthLimit: growthLimit).refuseReader()
    try sweep()
    Environment.removeAbandoned(in: directory)
    let (number, buildingLock) = try reserveNumber(change)
    return GenerationStart(
      feedLock: feedLock, change: change, current: current, lineage: lineage, number: number,
      buildingLock: buildingLock)
  }

  /// The index fields of a feed that is added to: the existing ones and the requested ones. A
  /// feed with an earlier version of its contract continues with the later version.
  private func indexedFields(
    _ wanted: [UInt16], of request: GenerationRequest, addedTo row: GenerationRow
  ) throws(StoreError) -> [UInt16] {
    guard row.kind == request.kind, row.layout.canBecome(request.layout),
      row.keyField == request.keyField
    else {
      let layout = row.details.form == .document ? "as documents" : "of another layout"
      let stored = row.kind == request.kind ? "\(row.kind) \(layout)" : row.kind
      throw StoreError(
        .invalidKind,
        "the feed \(row.name) holds \(stored), and the input is \(request.kind); append the same"
          + " kind, or replace the feed",
        path: directory)
    }
    return try request.indexedFields(wanted, inAdditionTo: row.indexedFields)
  }

  /// Excludes the other changes of a feed, in this store and in the shared store.
  ///
  /// - Parameter prepare: called when only the changes in this store are excluded
  func lockChange(
    of name: FeedName, _ wait: FeedWait, copies: Bool, _ isCancelled: () -> Bool,
    prepare: (FeedLock) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> (lock: FeedLock, change: (any FeedChange)?) {
    let deadline = wait.deadline
    let lock = try lock(name, wait, isCancelled)
    guard let authority else { return (lock, nil) }
    try prepare(lock)
    // An attempt asks the nodes.
    let change = try waitForTurn(name, until: deadline, pause: 200_000, isCancelled) {
      () throws(StoreError) in
      try authority.beginChange(of: name, in: self, holding: lock, copies: copies) {
        isCancelled() || ProcessInterruption.isRequested
      }
    }
    guard let change else { throw sharedBusy(name, after: wait.timeout) }
    return (lock, change)
  }

  /// Excludes the other changes of a feed in this store.
  func lock(
    _ name: FeedName, _ wait: FeedWait, _ isCancelled: () -> Bool
  ) throws(StoreError) -> FeedLock {
    let lock = try waitForTurn(name, until: wait.deadline, pause: 20_000, isCancelled) {
      () throws(StoreError) in
      try locks.feed(name)
    }
    guard let lock else { throw busy(name, after: wait.timeout) }
    return lock
  }

  /// Repeats an attempt until it returns a result. Returns nil after the deadline.
  ///
  /// - Parameter pause: microseconds between attempts
  private func waitForTurn<R>(
    _ name: FeedName, until deadline: ContinuousClock.Instant?, pause: UInt32,
    _ isCancelled: () -> Bool, _ attempt: () throws(StoreError) -> R?
  ) throws(StoreError) -> R? {
    while true {
      if let result = try attempt() { return result }
      if let deadline, ContinuousClock.now >= deadline { return nil }
      if FeedLock.isDuringCallback {
        throw StoreError(
          .misuse,
          "the feed \(name) is being changed, and a callback of an ingest must not wait for it: the"
            + " wait could be endless; wait until the call has returned",
          path: directory)
      }
      if isCancelled() { throw StoreError(.cancelled, "the ingest was cancelled") }
      if ProcessInterruption.isRequested {
        throw StoreError(.cancelled, "interrupted during the wait for the feed \(name)")
      }
      // A wait in the kernel could not be cancelled.
      usleep(pause)
    }
  }

  /// The current feed, and the lineage of its file. Data that build on it must not go into another
  /// file.
  private func published(
    _ name: FeedName
  ) throws(StoreError) -> (current: PublishedGeneration?, lineage: UInt64) {
    // Read first: if the file is replaced in between, the ingest is rejected instead of mixed.
    let lineage = tables.environment.lineage
    return try tables.environment.read { transaction throws(StoreError) in
      (try generation(of: name, transaction), lineage)
    }
  }

  /// A number that no generation has used and that only the holder of its lock will use.
  ///
  /// Nothing is written for it. A process that commits a generation holds the lock of its number
  /// before and until the commit. So a number above the last committed one, seen while its lock is
  /// held, is free and stays free.
  private func reserveNumber(
    _ change: (any FeedChange)?
  ) throws(StoreError) -> (number: UInt64, lock: FileLock) {
    if let change {
      guard let lock = try locks.building(change.number) else {
        throw StoreError(
          .busy, "another process builds a generation of the same number; try again",
          path: directory)
      }
      return (change.number, lock)
    }
    var number: UInt64 = 0
    while true {
      number = max(number, try lastNumber() + 1)
      guard let lock = try locks.building(number) else {
        // Another process holds it and has not committed it yet.
        number += 1
        continue
      }
      if try lastNumber() < number { return (number, lock) }
    }
  }

  private func lastNumber() throws(StoreError) -> UInt64 {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.lastNumber(transaction)
    }
  }

  /// Points the feed's name at a finished generation.
  func publish(
    _ row: GenerationRow, envelope: [UInt8], schema: [UInt8], _ condition: PublishCondition,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    var row = row
    let replaced = try transaction.reading { view throws(StoreError) in
      try requireBegun(row.generation, view)
      return try tables.currentRow(row.name, view)
    }
    try condition.require(replaced?.generation, of: row.name)
    do throws(LMDBError) {
      if var replaced {
        replaced.state = .dead
        try tables.put(replaced, &transaction)
        row.details.previousGeneration = replaced.generation
      }
      try tables.put(row, envelope: envelope, schema: schema, &transaction)
    } catch {
      throw StoreError(error)
    }
    try tables.point(row.name, at: row.generation, &transaction)
  }

  /// Requires that the store still has a generation that is being built.
  func requireBegun(
    _ generation: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    guard try tables.row(generation, transaction)?.state == .building else {
      throw StoreError(
        .replaced, "the store was replaced by a restored one during the ingest; ingest again",
        path: directory)
    }
  }
}

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
    let turn = try authority.map { _ throws(StoreError) in
      let wait = FeedWait(waits: true, timeout: writerTimeout)
      return try lockChange(of: name, wait, copies: true) { false }
    }
    defer { withExtendedLifetime(turn) {} }
    let change = turn?.change
    if let change, var row = try sharedRow(of: name) {
      try condition.require(row.generation, of: name)
      try change.requireBase(row.row)
      row.renew(referenceSeconds: referenceSeconds, validators)
      try change.renew(row)
    }
    defer { change?.finish() }
    let renewed = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) -> FeedDescription? in
      let current = try transaction.reading { view throws(StoreError) in
        try tables.currentRow(name, view).map { row throws(StoreError) in
          (row, try tables.envelope(of: row, view), try schema(of: row, view))
        }
      }
      try condition.require(current?.0.generation, of: name)
      guard let (stored, envelope, schema) = current else { return nil }
      var row = stored
      row.renew(referenceSeconds: referenceSeconds, validators, countsRevision: change != nil)
      do throws(LMDBError) {
        try tables.put(row, &transaction)
      } catch {
        throw StoreError(error)
      }
      return row.description(envelope: envelope, schema)
    }
    if renewed != nil { try synchronize(after: "the feed \(name) was renewed") }
    return renewed
  }
}
