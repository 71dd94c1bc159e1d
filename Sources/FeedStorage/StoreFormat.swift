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
  /// Blocks are handed to the writer thread in batches of about this many bytes.
  static let batchBytes = 2 << 20
  /// Pairs for indexes that one transaction takes. With those in memory already, which it may have
  /// to write as well, they stay within what it may change beside the blocks.
  static let batchPairs = 1 << 18
  /// Pairs that one index gathers at most: more would not make an ingest faster, and memory would
  /// grow with the records until so many are there.
  static let runPairs = 1 << 15
  /// A block of a run is a quarter of one of an index, as a merge has two of each run in memory: four
  /// pages, 16 bytes of which are LMDB's header.
  static let runBlockBytes = 4 * 4_096 - 16
  /// If it has nothing else to do they may be of a quarter of the blocks before, and of so many: the
  /// least that is worth a wait for the disk, and a whole batch.
  static let eagerBatchBlocks = 16...32
  /// Bytes that an ingest leaves free, so that a sweep of one block always fits.
  static let reserveBytes = 256 << 10
  /// An ingest looks at the free list and the readers each time it has written so much.
  static let bytesBetweenLooks = 64 << 20
  /// The file may have this many bytes, and four times those in use, before a reader is to blame.
  static let growthFloor = 1 << 30
  /// Bytes that may wait for the writer thread: one batch, while the next is gathered.
  static let bytesInFlight = batchBytes
  /// Values that one transaction deletes at most, in bytes and in number.
  static let sweepBytes = 16 << 20
  static let sweepOperations = 4_000
  /// A scan renews its snapshot after so many records, or after `snapshotAge`.
  static let snapshotRecords = 10_000
  static let snapshotAge = Duration.milliseconds(50)
}
