package import FeedRecord
import LMDB

/// One generation of a feed that stays readable as long as this object lives, even if it is
/// replaced. It is for readers that pause between parts of the feed.
///
/// It holds no snapshot, only the lease that keeps sweeps from removing the generation.
package final class LeasedFeed: Sendable {
  /// The description of the generation.
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
  /// - Throws: `damaged`; `replaced` if a restored store lacks the rest; the error of `body`
  package func forEachRecord(
    from offset: Int, _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var scan = FeedScan(tables, generation, from: max(offset, 0), lineage: lineage)
    while try scan.step({ _, record, position throws(StoreError) in try body(record, position) }) {}
  }
}

extension FeedDatabase {
  /// A unique number that the store got at its creation.
  package var identifier: UInt64 { tables.identifier }

  /// The current generation of a feed, to be read in parts.
  ///
  /// - Throws: `notFound`
  package func leasedFeed(named name: FeedName) throws(StoreError) -> LeasedFeed {
    let lineage = tables.environment.lineage
    let (generation, lock) = try lease(name)
    return LeasedFeed(tables, generation, lineage, lock)
  }
}
