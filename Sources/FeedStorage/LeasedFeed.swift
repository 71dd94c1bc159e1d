package import FeedRecord
import LMDB

/// One generation of a feed that can be read as long as this object is kept, also when it is
/// replaced meanwhile: for readers that wait between one part of it and the next.
///
/// It holds no snapshot, only the lease that keeps sweeps from the generation.
package final class LeasedFeed: Sendable {
  /// What is known of the generation.
  package let description: FeedDescription
  private let tables: StoreTables
  private let generation: PublishedGeneration
  private let lineage: UInt64
  private let lock: FileLock

  init(
    _ tables: StoreTables, _ generation: PublishedGeneration, _ lineage: UInt64, _ lock: FileLock
  ) {
    self.tables = tables
    self.generation = generation
    self.lineage = lineage
    self.lock = lock
    description = generation.description
  }

  /// Calls `body` with each record and its position, in document order, from a position on, until
  /// it returns false.
  ///
  /// - Throws: `damaged`; `replaced` where a restored store lacks what is left to read; what
  ///   `body` throws
  package func forEachRecord(
    from offset: Int, _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var scan = FeedScan(tables, generation, from: max(offset, 0), lineage: lineage)
    while try scan.step({ _, record, position throws(StoreError) in try body(record, position) }) {}
  }
}

extension FeedDatabase {
  /// A number that the store was given when it was made, and that no other store has.
  package var identifier: UInt64 { tables.identifier }

  /// The current generation of a feed, to be read part by part.
  ///
  /// - Throws: `notFound`
  package func leasedFeed(named name: FeedName) throws(StoreError) -> LeasedFeed {
    let lineage = tables.environment.lineage
    let (generation, lock) = try lease(name)
    return LeasedFeed(tables, generation, lineage, lock)
  }
}
