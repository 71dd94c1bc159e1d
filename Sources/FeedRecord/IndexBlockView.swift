/// A block of an index, read where it lies.
///
/// Making one proves that the pairs fill the bytes exactly; it does not prove the checksum, which
/// `verify` does. In damaged bytes whose order is broken a search misses, but stays inside.
package struct IndexBlockView: ~Escapable {
  @usableFromInline let bytes: RawSpan
  /// The number of pairs.
  package let count: Int

  /// - Throws: `damaged` if the bytes are no index block, `unsupportedVersion` for a newer one.
  @inlinable @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) throws(RecordError) {
    typealias Header = BlockFormat.IndexHeader
    guard bytes.byteCount >= BlockFormat.headerByteCount,
      bytes.loadInteger(Header.magic, as: UInt32.self) == BlockFormat.indexMagic
    else {
      throw RecordError(.damaged, "the bytes are not a block of an index")
    }
    guard bytes.loadInteger(Header.version, as: UInt16.self) == BlockFormat.version else {
      throw RecordError(.unsupportedVersion, "a newer version of this program wrote the index")
    }
    let flags = bytes.loadInteger(Header.flags, as: UInt16.self)
    let count = Int(bytes.loadInteger(Header.count, as: UInt32.self))
    // At most 12 * (2^32 - 1): no overflow.
    guard flags & ~(BlockFormat.indexHasLower | BlockFormat.indexHasUpper) == 0,
      count * BlockFormat.indexPairByteCount == bytes.byteCount - BlockFormat.headerByteCount
    else {
      throw RecordError(.damaged, "the header of an index block contradicts its size")
    }
    self.bytes = bytes
    self.count = count
  }

  /// Proves every byte of the block and that it lies where `seed` says; reads the whole block.
  /// - Throws: `checksumMismatch`.
  package func verify(seed: UInt64) throws(RecordError) {
    try BlockChecksum.verify(bytes, seed: seed)
  }

  /// The block's place among the blocks of its index.
  @inlinable
  package var number: UInt32 {
    bytes.loadInteger(BlockFormat.IndexHeader.number, as: UInt32.self)
  }

  /// The last hash of the block before it, or nil if it is the first.
  @inlinable
  package var lower: UInt64? {
    bound(BlockFormat.indexHasLower, at: BlockFormat.IndexHeader.lower)
  }

  /// The first hash of the block after it, or nil if it is the last.
  @inlinable
  package var upper: UInt64? {
    bound(BlockFormat.indexHasUpper, at: BlockFormat.IndexHeader.upper)
  }

  @inlinable
  func bound(_ flag: UInt16, at offset: Int) -> UInt64? {
    let flags = bytes.loadInteger(BlockFormat.IndexHeader.flags, as: UInt16.self)
    return flags & flag != 0 ? bytes.loadInteger(offset, as: UInt64.self) : nil
  }

  /// - Throws: `outOfRange`.
  @inlinable
  package func hash(at index: Int) throws(RecordError) -> UInt64 {
    try check(index)
    return loadHash(index)
  }

  /// - Throws: `outOfRange`.
  @inlinable
  package func ordinal(at index: Int) throws(RecordError) -> UInt32 {
    try check(index)
    return bytes.loadInteger(
      BlockFormat.headerByteCount + 8 * count + 4 * index, as: UInt32.self)
  }

  /// The index of the first pair whose hash is not below `hash`; `count` if there is none.
  /// A binary search.
  @inlinable
  package func firstIndex(ofHashAtLeast hash: UInt64) -> Int {
    var low = 0
    var length = count
    // Every pair before `low` is below `hash`; every pair from `low + length` on is not.
    while length > 0 {
      let half = length >> 1
      let isBelow = loadHash(low + half) < hash
      low = isBelow ? low + half + 1 : low
      length = isBelow ? length - half - 1 : half
    }
    return low
  }

  /// Whether a hash that is not in this block is proved to be in no block of the index: it lies
  /// strictly between the neighbours' bounds.
  @inlinable
  package func coversMiss(of hash: UInt64) -> Bool {
    if let lower, hash <= lower { return false }
    if let upper, hash >= upper { return false }
    return true
  }

  @inlinable
  func check(_ index: Int) throws(RecordError) {
    guard index >= 0 && index < count else {
      throw RecordError(.outOfRange, "an index block has no pair of this index")
    }
  }

  /// `init` has proved that `count` hashes lie here.
  @inlinable
  func loadHash(_ index: Int) -> UInt64 {
    bytes.loadInteger(BlockFormat.headerByteCount + 8 * index, as: UInt64.self)
  }
}
