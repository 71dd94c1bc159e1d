import FeedRecord
import LMDB

/// The names, numbers and limits of the store's format.
enum StoreFormat {
  /// "FCST", little-endian, and the version; version 1 had no digest of the feeds.
  static let format = EnvironmentFormat(magic: 0x5453_4346, version: 2)

  static let environmentDirectory = "feeds"
  static let locksDirectory = "locks"

  enum TableName {
    static let meta = EnvironmentFormat.table
    static let feeds = "feeds"
    static let generations = "generations"
    static let blocks = "blocks"
    static let index = "index"
    static let all = [meta, feeds, generations, blocks, index]
  }

  enum MetaKey {
    /// The number of feeds u32, and the digest of their names and generations u64.
    static let catalog = Array("catalog".utf8)
    /// The last number of a generation, u64.
    static let counter = Array("counter".utf8)
    /// Rewritten so that a transaction lies between freeing pages and reusing them, u64.
    static let tick = Array("tick".utf8)
  }

  /// Generation numbers count ingests and stay below this limit: in the seed of a checksum, the
  /// byte above is the number of an index.
  static let numberLimit: UInt64 = 1 << 56
  /// The index for the key field; those for other fields follow it.
  static let keyIndex: UInt8 = 0
  /// The first of the temporary numbers that indexes have while their numbers change.
  static let temporaryIndex: UInt8 = 0x40
  /// The maximum number of indexed fields in addition to the key.
  static let maximumFieldIndexes = 8
  /// Marks a run of an unfinished index: this value minus the number of the index, in the position
  /// of the index number.
  static let runMarker: UInt8 = 0xFF

  /// The maximum number of segments of a feed.
  static let maximumSegments = 16
  /// The maximum bytes of blocks and pairs that an ingest holds, gathered and submitted. A single
  /// larger record is written alone.
  static let batchBudget = 16 << 20
  /// The maximum number of submitted batches: the writer thread writes one and finds the next one
  /// ready.
  static let batchesUnderWay = 2
  /// The minimum size of a batch while the writer thread is idle: a quarter of the bytes that the
  /// ingest has written, within these bounds. Writing starts early, yet needs few transactions,
  /// each of which waits for the disk.
  static let minimumBatchBytes = 1 << 20...4 << 20
  /// The maximum size of batches while the writer thread is slower: a third of the budget, so that
  /// one can be gathered while two are submitted.
  static let maximumBatchBytes = batchBudget / 3
  /// The bytes that are committed before a shared store is asked to take them.
  static let pushBytes = 4 << 20
  /// A record of this size is written before another one is added.
  static let hugeRecordBytes = 2 << 20
  /// The maximum number of index pairs in one transaction. Together with the pairs already in
  /// memory, which it may have to write too, they stay within the transaction's limit next to the
  /// blocks.
  static let batchPairs = 1 << 18
  /// A block of a run is a quarter of an index block, because a merge holds two of each run in
  /// memory: four pages, 16 bytes of which are LMDB's header.
  static let runBlockBytes = 4 * 4_096 - 16
  /// The bytes that an ingest leaves free, so that a sweep of one block always fits.
  static let reserveBytes = 256 << 10
  /// The number of written bytes after which an ingest checks the free list and the readers.
  static let bytesBetweenSpaceChecks = 64 << 20
  /// The file may have this size plus four times the used bytes before an old reader causes an
  /// error.
  static let growthFloor = 1 << 30
  /// The maximum that one transaction deletes, in bytes and in values.
  static let sweepBytes = 16 << 20
  static let sweepOperations = 4_000
  /// A scan renews its snapshot after this number of records, or after `snapshotAge`.
  static let snapshotRecords = 10_000
  static let snapshotAge = Duration.milliseconds(50)
}

/// The first row of an environment: the kind of the environment and its format.
struct EnvironmentFormat: Sendable {
  /// Identifies the kind of environment.
  let magic: UInt32
  /// The version that this program writes, which is the newest that it can read.
  let version: UInt32

  static let table = "meta"
  /// Magic u32, version u32, environment id u64.
  private static let key = Array("format".utf8)

  /// Writes the row of a new environment; by default with a random id.
  func write(
    _ meta: Table, identifier: UInt64 = .random(in: .min ... .max),
    _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var row = RowWriter()
    row.write(magic)
    row.write(version)
    row.write(identifier)
    let (key, bytes) = (Self.key, row.sealed())
    try transaction.put(meta, key.span.bytes, bytes.span.bytes)
  }

  /// The version that last wrote the environment, and its id.
  ///
  /// - Throws: `damaged` if the row belongs to another kind; `incompatible` if a newer version
  ///   wrote it
  func read(
    _ meta: Table, _ transaction: borrowing ReadTransaction, path: String
  ) throws(StoreError) -> (version: UInt32, identifier: UInt64) {
    let key = Self.key
    do {
      guard let row = try transaction.get(meta, key.span.bytes) else {
        throw StoreError(.damaged, "the directory holds another kind of database", path: path)
      }
      var reader = try RowReader(row)
      guard try reader.read(UInt32.self) == magic else { throw RowReader.damaged }
      let stored = try reader.read(UInt32.self)
      guard stored <= version else {
        throw StoreError(
          .incompatible,
          "the store has format \(stored), this program knows \(version); use a newer FeedCore",
          path: path)
      }
      return (stored, try reader.read(UInt64.self))
    } catch {
      throw StoreError(wrapping: error, path: path)
    }
  }
}
