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

  /// The checksum that the block says it has.
  @inlinable
  package var checksum: UInt64 {
    bytes.loadInteger(BlockFormat.IndexHeader.checksum, as: UInt64.self)
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
  ///
  /// Hashes are spread evenly, so a hash lies near its share of the way from the lower bound to
  /// the upper one: a few looks, where halving all pairs would take a dozen, each of them at
  /// memory that is in no cache. Any other spread costs looks, and damaged bytes a miss.
  @inlinable
  package func firstIndex(ofHashAtLeast hash: UInt64) -> Int {
    let guess = guess(hash)
    // Every pair before `low` is below `hash`; every pair from `high` on is not.
    var (low, high) = (0, count)
    var step = 8
    if guess < count, loadHash(guess) < hash {
      low = guess + 1
      while count - low > step, loadHash(low + step) < hash {
        low += step + 1
        step <<= 2
      }
      high = min(low + step, count)
    } else {
      high = guess
      while high > step, loadHash(high - step) >= hash {
        high -= step
        step <<= 2
      }
      low = max(high - step, 0)
    }
    while low < high {
      let middle = low + (high - low) >> 1
      if loadHash(middle) < hash { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// About where a hash lies, in `0...count`.
  @inlinable
  func guess(_ hash: UInt64) -> Int {
    let (first, last) = (lower ?? 0, upper ?? .max)
    guard first < hash, hash < last else { return first < hash ? count : 0 }
    let place = share(of: hash - first, in: last - first)
    guard place < count else { return count }
    // From a pair that is near, the rest of the way is known better.
    let near = loadHash(place)
    return near < hash
      ? min(place + share(of: hash - near, in: last - first), count)
      : max(place - share(of: near - hash, in: last - first), 0)
  }

  /// How many pairs lie in a part of a range in which all of them lie, if they are spread evenly.
  @inlinable
  func share(of part: UInt64, in whole: UInt64) -> Int {
    // Of both, the 32 bits that count: the product with `count`, which has as many, then fits.
    let shift = UInt64(max(32 - whole.leadingZeroBitCount, 0))
    let pairs = min(part >> shift, whole >> shift) &* UInt64(count) / max(whole >> shift, 1)
    return Int(pairs)
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
