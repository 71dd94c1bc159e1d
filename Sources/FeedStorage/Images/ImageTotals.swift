import LMDB

/// What all images sum to, kept in the transactions that change them.
struct ImageTotals: Hashable, Sendable {
  /// What the store may occupy, in bytes.
  var byteCap: UInt64
  var imageCount: UInt64 = 0
  /// Bytes of the images themselves.
  var byteCount: UInt64 = 0
  /// The last number that was given to an insertion or to a place in the ring.
  var lastNumber: UInt64 = 0
  var insertions: UInt64 = 0
  var evictions: UInt64 = 0
  /// How many shelves the images are divided among; none in a store of version 1.
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

/// A place in the ring, which the evictor goes round.
///
/// Little-endian: the key's hash u128, generation u64, bytes of the image u64, and the XXH3-64 of
/// these. Its own key is its sequence number, big-endian.
struct RingEntry: Hashable, Sendable {
  let key: ImageKey
  /// That of the image's row; an entry of another one is left over from damage.
  let generation: UInt64
  let byteCount: UInt64

  init(_ key: ImageKey, _ generation: UInt64, _ byteCount: Int) {
    self.key = key
    self.generation = generation
    self.byteCount = UInt64(clamping: byteCount)
  }

  /// That of an image.
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
