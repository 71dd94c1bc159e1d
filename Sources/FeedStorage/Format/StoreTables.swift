import FeedRecord
import LMDB
import Synchronization

/// The store's environment and tables, with operations on their rows.
///
/// It is a class because a registry references the environment weakly, and retaining such an object
/// costs several times as much.
final class StoreTables: Sendable {
  let environment: Environment
  /// For lookups.
  let readers: EnvironmentReaders
  /// A random number that is part of every block's checksum, so that blocks of another store are
  /// detected.
  let identifier: UInt64
  let meta: Table
  let feeds: Table
  let generations: Table
  let blocks: Table
  let index: Table

  static func open(
    _ directory: String, _ options: FeedDatabase.Options, identifier: UInt64? = nil
  ) throws(StoreError) -> StoreTables {
    var configuration = Environment.Configuration(
      tables: StoreFormat.TableName.all, durability: options.durability)
    configuration.mapSize = options.mapSize
    configuration.sharing = options.sharing
    configuration.writerTimeout = options.writerTimeout
    configuration.allowsUnsafeFilesystem = options.allowsUnsafeFilesystem
    let identity = StoreIdentity()
    configuration.accept = { view, tables throws(LMDBError) in
      let meta = try tables.table(StoreFormat.TableName.meta)
      try identity.verify { () throws(StoreError) in
        try StoreFormat.format.read(meta, view, path: directory).identifier
      }
    }
    configuration.initialize = { transaction, tables throws(LMDBError) in
      let meta = try tables.table(StoreFormat.TableName.meta)
      let new = identifier ?? .random(in: .min ... .max)
      try StoreFormat.format.write(meta, identifier: new, &transaction)
      var empty = RowWriter()
      empty.write(UInt32(0))
      empty.write(UInt64(0))
      let (catalogKey, catalog) = (StoreFormat.MetaKey.catalog, empty.sealed())
      try transaction.put(meta, catalogKey.span.bytes, catalog.span.bytes)
    }
    do {
      let tables = try StoreTables(try Environment.open(directory, configuration))
      guard identifier == nil || identifier == tables.identifier else {
        throw StoreError(
          .incompatible,
          "the directory is a copy of another shared store, or of this one before it was lost; name"
            + " another directory")
      }
      identity.set(tables.identifier)
      return tables
    } catch {
      throw StoreError(wrapping: error, path: directory)
    }
  }

  private init(_ environment: Environment) throws {
    self.environment = environment
    readers = environment.readers
    let meta = try environment.table(StoreFormat.TableName.meta)
    self.meta = meta
    feeds = try environment.table(StoreFormat.TableName.feeds)
    generations = try environment.table(StoreFormat.TableName.generations)
    blocks = try environment.table(StoreFormat.TableName.blocks)
    index = try environment.table(StoreFormat.TableName.index)
    identifier = try environment.read { transaction throws(StoreError) in
      try StoreFormat.format.read(meta, transaction, path: environment.path).identifier
    }
  }

  /// The format version that last wrote the store.
  func version(_ transaction: borrowing ReadTransaction) throws(StoreError) -> UInt32 {
    try StoreFormat.format.read(meta, transaction, path: environment.path).version
  }

  /// The seed of a record block's checksum.
  func seed(segment: UInt64, number: UInt32) -> UInt64 {
    BlockSeed.seed(environment: identifier, segment: segment, number: number)
  }

  /// The seed of an index block's checksum, which also depends on the index.
  func seed(segment: UInt64, index: UInt8, number: UInt32) -> UInt64 {
    // Segment numbers count ingests and never reach the highest byte.
    seed(segment: segment ^ UInt64(index) << 56, number: number)
  }
}

extension EnvironmentReaders {
  /// A specialisation of the environment's `read` for the error type of this module.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let reader: OpaquePointer
    do throws(LMDBError) {
      reader = try acquire()
    } catch {
      throw StoreError(error)
    }
    defer { release(reader) }
    do throws(StoreError) {
      return try body(transaction(reader))
    } catch {
      throw explained(error)
    }
  }

  /// A store whose lock file was removed is sound, although a reader can have seen it change.
  private func explained(_ error: StoreError) -> StoreError {
    guard error.code == .damaged, hasLostLock else { return error }
    return StoreError(
      .replaced,
      "lock.mdb was removed while the store was read, so the records may have changed meanwhile; the"
        + " store is sound: read again",
      path: error.path, cause: error)
  }
}

extension Environment {
  /// A specialisation of the generic `read`.
  @inline(__always)
  func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try readers.read(body)
  }
}

/// Ensures that a store continues only with files whose damage it can detect.
///
/// The checksums of blocks include the store's identifier. In the file of another store every block
/// would look damaged.
final class StoreIdentity: Sendable {
  private let identifier = Mutex<UInt64?>(nil)

  func set(_ identifier: UInt64) {
    self.identifier.withLock { $0 = identifier }
  }

  /// Rejects the file of another store.
  func verify(_ other: () throws(StoreError) -> UInt64) throws(LMDBError) {
    guard let own = identifier.withLock({ $0 }) else { return }
    if let other = try? other(), other == own { return }
    throw LMDBError(
      .closed, "another store has replaced this one; open it again", path: nil)
  }
}
