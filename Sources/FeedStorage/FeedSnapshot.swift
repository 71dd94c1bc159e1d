public import FeedRecord
import LMDB
import Synchronization

/// A snapshot of a store for several calls. It does not show what is published later.
///
/// Ordinary reads do not need one. An open snapshot keeps replaced pages from being freed, so the
/// file grows with each ingest. ``FeedDatabase/snapshots`` lists it by name, and `store stats`
/// lists its process. It ends with ``end()`` or with the last reference. A call waits while another
/// thread reads from it; a body may call it again.
public final class FeedSnapshot: Sendable {
  /// Its purpose.
  public let name: String
  private let database: FeedDatabase
  private let held: HeldSnapshot
  private let ticket: UInt64

  init(_ name: String, of database: FeedDatabase) throws(StoreError) {
    do throws(LMDBError) {
      held = try HeldSnapshot(of: database.tables.environment)
    } catch {
      throw StoreError(error)
    }
    self.name = name
    self.database = database
    ticket = database.openSnapshots.add(name)
  }

  deinit { end() }

  /// Ends the snapshot after the running reads. Every later read throws `misuse`.
  public func end() {
    held.end()
    database.openSnapshots.remove(ticket)
  }

  /// The descriptions of all feeds, sorted by name.
  public func feeds() throws(StoreError) -> [FeedDescription] {
    try held.read { transaction throws(StoreError) in try database.feeds(transaction) }
  }

  /// The description of a feed; nil if there was none with this name.
  public func feed(named name: FeedName) throws(StoreError) -> FeedDescription? {
    try held.read { transaction throws(StoreError) in
      try database.generation(of: name, transaction)?.description
    }
  }

  /// Like ``FeedDatabase/forEachRecord(in:from:_:)``, in the snapshot.
  @discardableResult
  public func forEachRecord(
    in name: FeedName, from offset: Int = 0,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> FeedDescription {
    try held.read { transaction throws(StoreError) in
      guard let generation = try database.generation(of: name, transaction) else {
        throw database.notFound(name)
      }
      var scan = FeedScan(database.tables, generation, from: max(offset, 0))
      while try scan.step(
        in: transaction,
        { _, record, position throws(StoreError) in try body(record, position) })
      {}
      return generation.description
    }
  }

  /// Like ``FeedDatabase/forEachRecord(in:withKeyBytes:_:)``, in the snapshot.
  @discardableResult
  public func forEachRecord(
    in name: FeedName, withKeyBytes key: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try held.read { transaction throws(StoreError) in
      try database.forEachRecord(in: name, by: nil, key, transaction, body)
    }
  }

  /// Like ``FeedDatabase/forEachRecord(in:whereField:hasBytes:_:)``, in the snapshot.
  @discardableResult
  public func forEachRecord(
    in name: FeedName, whereField field: UInt16, hasBytes bytes: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try held.read { transaction throws(StoreError) in
      try database.forEachRecord(in: name, by: field, bytes, transaction, body)
    }
  }
}

extension FeedDatabase {
  /// Opens a snapshot of the current state for several reads, with a name that describes its
  /// purpose.
  public func snapshot(named name: String) throws(StoreError) -> FeedSnapshot {
    try FeedSnapshot(name, of: self)
  }

  /// The open snapshots of this object, oldest first.
  public var snapshots: [OpenSnapshot] { openSnapshots.all }
}

/// An open snapshot and its age.
public struct OpenSnapshot: Hashable, Sendable {
  /// Its purpose, as given by its name.
  public let name: String
  /// How long it has been open, and has kept pages from being reused.
  public let age: Duration
}

/// The open snapshots of one database object.
final class OpenSnapshots: Sendable {
  private struct State {
    var lastTicket: UInt64 = 0
    var open: [UInt64: (name: String, began: ContinuousClock.Instant)] = [:]
  }

  private let state = Mutex(State())

  func add(_ name: String) -> UInt64 {
    state.withLock { state in
      state.lastTicket += 1
      state.open[state.lastTicket] = (name, .now)
      return state.lastTicket
    }
  }

  func remove(_ ticket: UInt64) {
    state.withLock { state in _ = state.open.removeValue(forKey: ticket) }
  }

  var all: [OpenSnapshot] {
    let now = ContinuousClock.now
    return state.withLock { state in
      state.open.sorted { $0.key < $1.key }.map { _, snapshot in
        OpenSnapshot(name: snapshot.name, age: now - snapshot.began)
      }
    }
  }
}
