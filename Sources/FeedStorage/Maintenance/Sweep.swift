import LMDB

/// The result of a sweep.
package struct SweepReport: Hashable, Sendable {
  /// The number of removed generations.
  package var removed = 0
  /// The bytes of deleted values.
  package var freedBytes = 0
  /// The number of generations to be removed that are still being read or built.
  package var left = 0
}

/// Removes generations that were replaced, deleted, or abandoned by a killed process.
struct Sweep {
  let tables: StoreTables
  let locks: StoreLocks

  /// Removes all generations that no lock protects. Does not wait for locks.
  func run() throws(StoreError) -> SweepReport {
    let rows = try tables.environment.read { transaction throws(StoreError) in
      try tables.rows(transaction)
    }
    var report = SweepReport()
    for row in rows where row.state != .published {
      // A generation that was being built may have been published since: its readers must not wait
      // for this.
      guard let building = try locks.building(row.generation) else {
        report.left += 1
        continue
      }
      guard try isRemovable(row.generation) else { continue }
      guard let removal = try locks.removal(row.generation) else {
        report.left += 1
        continue
      }
      defer { withExtendedLifetime((building, removal)) {} }
      try remove(row.generation, &report)
    }
    if report.removed > 0 {
      StorageEvents.swept(report)
      try tables.tick()
    }
    return report
  }

  private func isRemovable(_ generation: UInt64) throws(StoreError) -> Bool {
    try tables.environment.read { transaction throws(StoreError) in
      try tables.row(generation, transaction)?.state != .published
    }
  }

  /// Removes one generation, whose locks the caller holds.
  ///
  /// Its blocks are deleted in transactions of limited size, its row in the last one. If this is
  /// interrupted, the next sweep continues.
  func remove(_ generation: UInt64, _ report: inout SweepReport) throws(StoreError) {
    var limit = Limit(bytes: StoreFormat.sweepBytes, operations: StoreFormat.sweepOperations)
    while true {
      do throws(StoreError) {
        let progress = try tables.environment.write {
          (transaction: inout WriteTransaction) throws(StoreError) in
          try step(generation, limit, &transaction)
        }
        report.freedBytes += progress.bytes
        guard progress.isDone else { continue }
        report.removed += progress.existed ? 1 : 0
        return
      } catch {
        // Deleting needs pages too: on a full disk retry with a smaller limit.
        guard error.code == .diskFull, limit.operations > 1 else { throw error }
        limit.operations = min(limit.operations / 2, limit.bytes / 65_536)
        limit.bytes /= 2
      }
    }
  }

  private struct Limit {
    var bytes: Int
    var operations: Int
  }

  private struct Progress {
    var bytes = 0
    var isDone = false
    var existed = true
  }

  private func step(
    _ generation: UInt64, _ limit: Limit, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Progress {
    var progress = Progress()
    let rows = try transaction.reading { view throws(StoreError) in try tables.rows(view) }
    // Read again in this transaction: another sweep may have removed it.
    guard let row = rows.first(where: { $0.generation == generation }), row.state != .published
    else {
      return Progress(isDone: true, existed: false)
    }
    var segments = Set(row.segments.map(\.identifier))
    for other in rows where other.generation != generation {
      segments.subtract(other.segments.map(\.identifier))
    }
    var rest = limit
    for segment in segments.sorted() {
      for table in [tables.index, tables.blocks] {
        guard try delete(segment, table, &rest, &transaction) else {
          progress.bytes = limit.bytes - rest.bytes
          return progress
        }
      }
    }
    do throws(LMDBError) {
      try tables.removeRow(generation, &transaction)
    } catch {
      throw StoreError(error)
    }
    progress.bytes = limit.bytes - rest.bytes
    progress.isDone = true
    return progress
  }

  /// Deletes a segment's entries in a table; returns false if the limit was reached first.
  private func delete(
    _ segment: UInt64, _ table: Table, _ limit: inout Limit,
    _ transaction: inout WriteTransaction
  ) throws(StoreError) -> Bool {
    let prefix = StoreKey.number(segment)
    var isLimitReached = false
    do throws(LMDBError) {
      try transaction.deleteEntries(in: table, from: prefix.span.bytes) { key, value in
        guard key.bigEndian(at: 0, as: UInt64.self) == segment else { return false }
        isLimitReached = limit.operations <= 0 || limit.bytes <= 0
        if isLimitReached { return false }
        limit.operations -= 1
        limit.bytes -= value.byteCount
        return true
      }
      return !isLimitReached
    } catch {
      throw StoreError(error)
    }
  }
}

extension FeedDatabase {
  /// Removes generations that were replaced, deleted, or abandoned by a killed process, except
  /// those that are being read or built.
  @discardableResult
  package func sweep() throws(StoreError) -> SweepReport {
    try Sweep(tables: tables, locks: locks).run()
  }
}
