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
    /// How many feeds there are u32, and the digest of their names and generations u64.
    static let catalog = Array("catalog".utf8)
    /// The next number for a generation, u64.
    static let counter = Array("counter".utf8)
    /// Rewritten so that a transaction lies between freeing pages and using them again, u64.
    static let tick = Array("tick".utf8)
  }

  /// Numbers of generations stay below this, as they count ingests: in the seed of a checksum, the
  /// byte above is that of an index.
  static let numberLimit: UInt64 = 1 << 56
  /// The index by the key field; those by other fields follow it.
  static let keyIndex: UInt8 = 0
  /// Fields that a feed can be indexed by beside its key.
  static let maximumFieldIndexes = 8
  /// Minus the number of an index, stands where that would: a run of an unfinished index.
  static let runMarker: UInt8 = 0xFF

  /// A feed lists at most this many segments.
  static let maximumSegments = 16
  /// Bytes of blocks and pairs that an ingest holds at most: those that are gathered, and those
  /// under way to the disk. A single larger record goes alone.
  static let batchBudget = 16 << 20
  /// Batches under way at most: the writer thread writes one, and finds the next one ready.
  static let batchesUnderWay = 2
  /// Bytes from which on a batch is worth a transaction while the writer thread has nothing to do: a
  /// quarter of what the ingest has written, within these bounds. So it begins early, and takes few
  /// transactions, each of which waits for the disk.
  static let minimumBatchBytes = 1 << 20...4 << 20
  /// Bytes up to which batches are let grow while the writer thread is slower: a third of the budget,
  /// so that one can be gathered while two are under way.
  static let maximumBatchBytes = batchBudget / 3
  /// From so many bytes on a record is written before another one is added.
  static let hugeRecordBytes = 2 << 20
  /// Pairs for indexes that one transaction takes. With those in memory already, which it may have
  /// to write as well, they stay within what it may change beside the blocks.
  static let batchPairs = 1 << 18
  /// A block of a run is a quarter of one of an index, as a merge has two of each run in memory: four
  /// pages, 16 bytes of which are LMDB's header.
  static let runBlockBytes = 4 * 4_096 - 16
  /// Bytes that an ingest leaves free, so that a sweep of one block always fits.
  static let reserveBytes = 256 << 10
  /// An ingest looks at the free list and the readers each time it has written so much.
  static let bytesBetweenLooks = 64 << 20
  /// The file may have this many bytes, and four times those in use, before a reader is to blame.
  static let growthFloor = 1 << 30
  /// Values that one transaction deletes at most, in bytes and in number.
  static let sweepBytes = 16 << 20
  static let sweepOperations = 4_000
  /// A scan renews its snapshot after so many records, or after `snapshotAge`.
  static let snapshotRecords = 10_000
  static let snapshotAge = Duration.milliseconds(50)
}
