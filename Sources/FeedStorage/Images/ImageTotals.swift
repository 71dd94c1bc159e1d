import LMDB

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
  private var shelfCount = UInt64(ImageShelf.count)

  init(byteCap: Int) { self.byteCap = UInt64(clamping: byteCap) }

  var hasShelves: Bool { shelfCount != 0 }

  mutating func addShelves() { shelfCount = UInt64(ImageShelf.count) }

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
    shelfCount = reader.hasMore ? try reader.read(UInt64.self) : 0
    guard shelfCount == 0 || shelfCount == ImageShelf.count else { throw RowReader.damaged }
  }

  func encoded() -> [UInt8] {
    var writer = RowWriter()
    for number in [
      byteCap, imageCount, byteCount, lastNumber, insertions, evictions, shelfCount,
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
