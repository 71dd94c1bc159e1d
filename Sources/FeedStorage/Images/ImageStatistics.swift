import LMDB

/// The contents of an image store and the space it occupies.
public struct ImageStatistics: Hashable, Sendable {
  /// The number of images, including expired ones.
  public let imageCount: Int
  /// The total size of the images in bytes.
  public let byteCount: Int
  /// The bytes of the pages with the images and their rows; never above the cap.
  public let occupiedBytes: Int
  /// The limit of the occupied bytes.
  public let byteCap: Int
  /// The size of the data file in bytes.
  public let fileBytes: Int
  /// The free part of the file in bytes.
  public let freeBytes: Int
  /// The number of images that were ever stored.
  public let insertions: Int
  /// The number of images evicted for others.
  public let evictions: Int
  /// Reads that found their image and reads that did not, of all processes; nil if the file with
  /// the counters cannot be used.
  public let lookups: StoreStatistics.Lookups?
}

extension ImageStore {
  /// The contents and the occupied space of the store. Cost: one walk of the free list.
  public func statistics() throws(StoreError) -> ImageStatistics {
    let environment: EnvironmentStatistics
    do throws(LMDBError) {
      environment = try tables.environment.statistics()
    } catch {
      throw StoreError(error)
    }
    return try tables.environment.read { transaction throws(StoreError) in
      let totals = try tables.totals(transaction)
      return ImageStatistics(
        imageCount: Int(clamping: totals.imageCount), byteCount: Int(clamping: totals.byteCount),
        occupiedBytes: try tables.occupiedBytes(transaction),
        byteCap: Int(clamping: totals.byteCap), fileBytes: environment.fileBytes,
        freeBytes: environment.freePages * environment.pageSize,
        insertions: Int(clamping: totals.insertions), evictions: Int(clamping: totals.evictions),
        lookups: access.counters.lookups)
    }
  }
}

/// The totals of all images, updated in the transactions that change them.
struct ImageTotals: Hashable, Sendable {
  /// The limit of the occupied bytes.
  var byteCap: UInt64
  var imageCount: UInt64 = 0
  /// The total bytes of the images.
  var byteCount: UInt64 = 0
  /// The last number used for an insertion or a position in the ring.
  var lastNumber: UInt64 = 0
  var insertions: UInt64 = 0
  var evictions: UInt64 = 0
  /// The number of buckets; 0 in a version 1 store.
  private var bucketCount = UInt64(ImageBucket.count)

  init(byteCap: Int) { self.byteCap = UInt64(clamping: byteCap) }

  var hasBuckets: Bool { bucketCount != 0 }

  mutating func addBuckets() { bucketCount = UInt64(ImageBucket.count) }

  mutating func nextNumber() -> UInt64 {
    lastNumber &+= 1
    return lastNumber
  }

  mutating func add(_ entry: RingEntry) {
    imageCount &+= 1
    byteCount &+= entry.byteCount
  }

  mutating func remove(_ entry: RingEntry) {
    imageCount -= min(imageCount, 1)
    byteCount -= min(byteCount, entry.byteCount)
  }
}

extension ImageTotals {
  init(_ bytes: RawSpan) throws(StoreError) {
    var reader = try RowReader(bytes)
    byteCap = try reader.read(UInt64.self)
    imageCount = try reader.read(UInt64.self)
    byteCount = try reader.read(UInt64.self)
    lastNumber = try reader.read(UInt64.self)
    insertions = try reader.read(UInt64.self)
    evictions = try reader.read(UInt64.self)
    bucketCount = reader.hasMore ? try reader.read(UInt64.self) : 0
    guard bucketCount == 0 || bucketCount == ImageBucket.count else { throw RowReader.damaged }
  }

  func encoded() -> [UInt8] {
    var writer = RowWriter()
    for number in [
      byteCap, imageCount, byteCount, lastNumber, insertions, evictions, bucketCount,
    ] {
      writer.write(number)
    }
    return writer.sealed()
  }
}

/// An entry of the ring that the evictor traverses.
///
/// Little-endian: the key's hash u128, generation u64, image bytes u64, and the XXH3-64 of these.
/// Its own key is its sequence number, big-endian.
struct RingEntry: Hashable, Sendable {
  let key: ImageKey
  /// The generation of the image's row; an entry with another one is left over from damage.
  let generation: UInt64
  let byteCount: UInt64

  init(_ key: ImageKey, _ generation: UInt64, _ byteCount: Int) {
    self.key = key
    self.generation = generation
    self.byteCount = UInt64(clamping: byteCount)
  }

  /// The entry of an image.
  init(_ row: ImageRow, _ key: ImageKey) {
    self.init(key, row.generation, row.description.byteCount)
  }

  init(_ bytes: RawSpan) throws(StoreError) {
    var reader = try RowReader(bytes)
    key = ImageKey(try reader.read(UInt128.self))
    generation = try reader.read(UInt64.self)
    byteCount = try reader.read(UInt64.self)
  }

  func encoded() -> [UInt8] {
    var writer = RowWriter()
    writer.write(key.hash)
    writer.write(generation)
    writer.write(byteCount)
    return writer.sealed()
  }
}
