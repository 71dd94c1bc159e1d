import FeedRecord
import LMDB

/// The store's environment, its tables, and reading and changing their rows.
struct StoreTables: Sendable {
  let environment: Environment
  /// Random, part of every block's checksum: blocks of another store are found out.
  let identifier: UInt64
  let meta: Table
  let feeds: Table
  let generations: Table
  let blocks: Table
  let index: Table

  static func open(
    _ directory: String, _ options: FeedDatabase.Options
  ) throws(StoreError) -> StoreTables {
    var configuration = Environment.Configuration(
      tables: StoreFormat.TableName.all, durability: options.durability)
    configuration.mapSize = options.mapSize
    configuration.initialize = { transaction, tables throws(LMDBError) in
      var row = RowWriter()
      row.write(StoreFormat.magic)
      row.write(StoreFormat.version)
      row.write(UInt64.random(in: .min ... .max))
      let meta = try tables.table(StoreFormat.TableName.meta)
      let key = StoreFormat.MetaKey.format
      let bytes = row.sealed()
      try transaction.put(meta, key.span.bytes, bytes.span.bytes)
    }
    do {
      return try StoreTables(try Environment.open(directory, configuration))
    } catch {
      throw StoreError(wrapping: error, path: directory)
    }
  }

  private init(_ environment: Environment) throws {
    self.environment = environment
    let meta = try environment.table(StoreFormat.TableName.meta)
    self.meta = meta
    feeds = try environment.table(StoreFormat.TableName.feeds)
    generations = try environment.table(StoreFormat.TableName.generations)
    blocks = try environment.table(StoreFormat.TableName.blocks)
    index = try environment.table(StoreFormat.TableName.index)
    identifier = try environment.read { transaction throws(StoreError) in
      try Self.identifier(transaction, meta, environment.path)
    }
  }

  private static func identifier(
    _ transaction: borrowing ReadTransaction, _ meta: Table, _ path: String
  ) throws(StoreError) -> UInt64 {
    let key = StoreFormat.MetaKey.format
    do {
      guard let row = try transaction.get(meta, key.span.bytes) else {
        throw StoreError(.damaged, "the directory holds another kind of database", path: path)
      }
      var reader = try RowReader(row)
      guard try reader.read(UInt32.self) == StoreFormat.magic else { throw RowReader.damaged }
      let version = try reader.read(UInt32.self)
      guard version <= StoreFormat.version else {
        throw StoreError(
          .incompatible,
          "the store has format \(version), this program knows \(StoreFormat.version);"
            + " use a newer FeedCore",
          path: path)
      }
      return try reader.read(UInt64.self)
    } catch {
      throw StoreError(wrapping: error, path: path)
    }
  }

  func seed(segment: UInt64, number: UInt32) -> UInt64 {
    BlockSeed.seed(environment: identifier, segment: segment, number: number)
  }
}
