package import FeedRecord
import LMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FeedDatabase {
  /// Begins an ingest: waits for the feed's lock if asked to, sweeps, and
  /// commits the row of a new generation.
  ///
  /// - Parameters:
  ///   - mode: an append adds to the feed, where there is one
  ///   - wait: whether to wait while someone else changes the feed
  ///   - isCancelled: asked from time to time, also later by the writer
  /// - Throws: `busy`, `cancelled`, `invalidKind` for an append to a feed of
  ///   another kind or layout, `diskFull`
  package func beginGeneration(
    of name: FeedName, kind: String, layout: RecordLayout, keyField: UInt16,
    mode: GenerationMode, wait: Bool, isCancelled: @escaping () -> Bool
  ) throws(StoreError) -> GenerationWriter {
    let feedLock = try lock(name, wait: wait, isCancelled)
    try sweep()
    let appended = mode == .append ? try published(name) : nil
    if let appended {
      guard appended.row.kind == kind, appended.row.layout == layout,
        appended.row.keyField == keyField
      else {
        let held = appended.row.kind == kind ? "\(kind) of another layout" : appended.row.kind
        throw StoreError(
          .invalidKind,
          "the feed \(name) holds \(held), and the input is \(kind); append the same kind,"
            + " or replace the feed",
          path: directory)
      }
    }
    let (row, buildingLock) = try tables.environment.write {
      (transaction: inout WriteTransaction) throws(StoreError) in
      let number = try next(&transaction)
      let segment = Segment(identifier: number, recordCount: 0, blockCount: 0, byteCount: 0)
      let row = GenerationRow(
        state: .building, generation: number, name: name, kind: kind, layout: layout,
        keyField: keyField, segments: [segment])
      return (row, try begin(row, &transaction))
    }
    return try GenerationWriter(
      self, GenerationBase(row, appended: appended), feedLock: feedLock,
      buildingLock: buildingLock, isCancelled: isCancelled)
  }

  private func lock(
    _ name: FeedName, wait: Bool, _ isCancelled: () -> Bool
  ) throws(StoreError) -> FileLock {
    while true {
      if let lock = try locks.feed(name) { return lock }
      if !wait { throw busy(name) }
      if isCancelled() { throw StoreError(.cancelled, "the ingest was cancelled") }
      // A lock that waits in the kernel could not be given up.
      usleep(20_000)
    }
  }

  private func published(_ name: FeedName) throws(StoreError) -> PublishedGeneration? {
    try tables.environment.read { transaction throws(StoreError) in
      try generation(of: name, transaction)
    }
  }

  private func next(_ transaction: inout WriteTransaction) throws(StoreError) -> UInt64 {
    do throws(LMDBError) {
      return try tables.nextNumber(&transaction)
    } catch {
      throw StoreError(error)
    }
  }

  /// Stores the row, under a lock that is taken before anyone can see it.
  private func begin(
    _ row: GenerationRow, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> FileLock {
    guard let lock = try locks.building(row.generation) else { throw busy(row.name) }
    do throws(LMDBError) {
      try tables.put(row, &transaction)
    } catch {
      throw StoreError(error)
    }
    return lock
  }

  /// Points the feed's name at a finished generation, in one small
  /// transaction, and makes it last.
  func publish(_ row: GenerationRow, _ envelope: [UInt8]) throws(StoreError) {
    try tables.environment.write { (transaction: inout WriteTransaction) throws(StoreError) in
      let replaced = try transaction.reading { view throws(StoreError) in
        try tables.currentRow(row.name, view)
      }
      do throws(LMDBError) {
        if var replaced {
          replaced.state = .dead
          try tables.put(replaced, &transaction)
        }
        if !envelope.isEmpty {
          let key = StoreKey.envelope(row.generation)
          try transaction.put(tables.generations, key.span.bytes, envelope.span.bytes)
        }
        try tables.put(row, &transaction)
        try tables.point(row.name, at: row.generation, &transaction)
      } catch {
        throw StoreError(error)
      }
    }
    try synchronize()
  }
}
