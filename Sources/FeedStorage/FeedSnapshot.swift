public import FeedRecord
import LMDB
import Synchronization

/// One moment of a store that several calls read: what is published later is not in it.
///
/// Ordinary reads need none. As long as a snapshot is open, nothing that was replaced since can be
/// freed, and the file grows with each ingest; so it has a name, under which
/// ``FeedDatabase/snapshots`` tells it, and `store stats` tells its process. It ends with
/// ``end()`` or when the last reference goes. A call waits while another thread reads from it; a
/// body may call it again.
public final class FeedSnapshot: Sendable {
  /// What it is for.
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

  /// Ends the snapshot, behind the reads that are under way. Every later one throws `misuse`.
  public func end() {
    held.end()
    database.openSnapshots.remove(ticket)
  }

  /// The descriptions of all feeds, by name.
  public func feeds() throws(StoreError) -> [FeedDescription] {
    try held.read { transaction throws(StoreError) in try database.feeds(transaction) }
  }

  /// The description of a feed; nil where there was none of this name.
  public func feed(named name: FeedName) throws(StoreError) -> FeedDescription? {
    try held.read { transaction throws(StoreError) in
      try database.generation(of: name, transaction)?.description
    }
  }

  /// As ``FeedDatabase/forEachRecord(in:from:_:)``, of the snapshot's moment.
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

  /// As ``FeedDatabase/forEachRecord(in:withKeyBytes:_:)``, of the snapshot's moment.
  @discardableResult
  public func forEachRecord(
    in name: FeedName, withKeyBytes key: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try held.read { transaction throws(StoreError) in
      try database.forEachRecord(in: name, by: nil, key, transaction, body)
    }
  }

  /// As ``FeedDatabase/forEachRecord(in:whereField:hasBytes:_:)``, of the snapshot's moment.
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
  /// Holds the store's present moment for several reads, under a name that says what for.
  public func snapshot(named name: String) throws(StoreError) -> FeedSnapshot {
    try FeedSnapshot(name, of: self)
  }

  /// The snapshots of this object that are open, the oldest first.
  public var snapshots: [OpenSnapshot] { openSnapshots.all }
}

/// A snapshot that is open, and for how long it has been.
public struct OpenSnapshot: Hashable, Sendable {
  /// What it is for, as it was named.
  public let name: String
  /// How long the file has had to keep what it sees.
  public let age: Duration
}

/// The snapshots of one database object that are open.
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
