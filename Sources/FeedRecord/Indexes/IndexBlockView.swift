/// A block of an index, read in place.
///
/// The initializer verifies that the pairs fill the bytes exactly. It does not verify the checksum;
/// `verify` does. If damaged bytes are out of order, a search misses but stays in bounds.
package struct IndexBlockView: ~Escapable {
  @usableFromInline let bytes: RawSpan
  /// The number of pairs.
  package let count: Int

  /// Whether the block has version 1, which stored all 64 bits of a hash.
  @usableFromInline let isOld: Bool

  /// - Throws: `damaged` if the bytes are not an index block, `unsupportedVersion` for a newer one.
  @inlinable @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) throws(RecordError) {
    typealias Header = BlockFormat.IndexHeader
    guard bytes.byteCount >= BlockFormat.headerByteCount,
      bytes.loadInteger(Header.magic, as: UInt32.self) == BlockFormat.indexMagic
    else {
      throw RecordError(.damaged, "the bytes are not a block of an index")
    }
    let version = bytes.loadInteger(Header.version, as: UInt16.self)
    guard version == BlockFormat.indexVersion || version == 1 else {
      throw RecordError(.unsupportedVersion, "a newer version of this program wrote the index")
    }
    let isOld = version == 1
    let flags = bytes.loadInteger(Header.flags, as: UInt16.self)
    let count = Int(bytes.loadInteger(Header.count, as: UInt32.self))
    let pair = isOld ? BlockFormat.oldIndexPairByteCount : BlockFormat.indexPairByteCount
    // At most 12 * (2^32 - 1): no overflow.
    guard flags & ~(BlockFormat.indexHasLower | BlockFormat.indexHasUpper) == 0,
      count * pair == bytes.byteCount - BlockFormat.headerByteCount
    else {
      throw RecordError(.damaged, "the header of an index block contradicts its size")
    }
    self.bytes = bytes
    self.count = count
    self.isOld = isOld
  }

  /// Verifies every byte of the block, and that its position matches `seed`. Reads the whole block.
  /// - Throws: `checksumMismatch`.
  package func verify(seed: UInt64) throws(RecordError) {
    try BlockChecksum.verify(bytes, seed: seed)
  }

  /// The checksum stored in the block.
  @inlinable
  package var checksum: UInt64 {
    bytes.loadInteger(BlockFormat.IndexHeader.checksum, as: UInt64.self)
  }

  /// The index of the block in its index.
  @inlinable
  package var number: UInt32 {
    bytes.loadInteger(BlockFormat.IndexHeader.number, as: UInt32.self)
  }

  /// The last hash of the previous block; nil if this is the first.
  @inlinable
  package var lower: UInt32? {
    bound(BlockFormat.indexHasLower, at: BlockFormat.IndexHeader.lower)
  }

  /// The first hash of the next block; nil if this is the last.
  @inlinable
  package var upper: UInt32? {
    bound(BlockFormat.indexHasUpper, at: BlockFormat.IndexHeader.upper)
  }

  @inlinable
  func bound(_ flag: UInt16, at offset: Int) -> UInt32? {
    let flags = bytes.loadInteger(BlockFormat.IndexHeader.flags, as: UInt16.self)
    guard flags & flag != 0 else { return nil }
    return bytes.loadInteger(isOld ? offset + 4 : offset, as: UInt32.self)
  }

  /// The hash of the first pair, as it appears in the block's storage key. In version 2 only the
  /// upper half is set. 0 for a block without pairs.
  package var storedHash: UInt64 {
    guard count > 0 else { return 0 }
    let offset = BlockFormat.headerByteCount
    return isOld ? bytes.loadInteger(offset, as: UInt64.self) : UInt64(loadHash(0)) << 32
  }

  /// - Throws: `outOfRange`.
  @inlinable
  package func hash(at index: Int) throws(RecordError) -> UInt32 {
    try check(index)
    return loadHash(index)
  }

  /// Whether a pair can belong to a key. The upper half of its `KeyHash` already matches; only
  /// version 1 also stores the lower half.
  package func canBe(keyHash: UInt64, at index: Int) throws(RecordError) -> Bool {
    try check(index)
    guard isOld else { return true }
    return bytes.loadInteger(BlockFormat.headerByteCount + 8 * index, as: UInt64.self) == keyHash
  }

  /// - Throws: `outOfRange`.
  @inlinable
  package func ordinal(at index: Int) throws(RecordError) -> UInt32 {
    try check(index)
    return loadOrdinal(index)
  }

  /// All pairs. Allocates.
  @_spi(Ingest) public func pairs() -> [KeyPair] {
    (0..<count).map { KeyPair(hash: loadHash($0), ordinal: loadOrdinal($0)) }
  }

  /// The index of the first pair whose hash is not below `hash`; `count` if there is none.
  ///
  /// Hashes are uniformly distributed, so interpolation between the bounds finds the position in a
  /// few probes. A binary search over all pairs would take a dozen, each of them a cache miss.
  /// Another distribution only costs more probes; in damaged bytes the search may miss.
  @inlinable
  package func firstIndex(ofHashAtLeast hash: UInt32) -> Int {
    let guess = guess(hash)
    // Every pair before `low` is below `hash`; no pair from `high` on is.
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

  /// The estimated index of a hash, in `0...count`.
  @inlinable
  func guess(_ hash: UInt32) -> Int {
    let (first, last) = (lower ?? 0, upper ?? .max)
    guard first < hash, hash < last else { return first < hash ? count : 0 }
    let position = share(of: hash - first, in: last - first)
    guard position < count else { return count }
    // The distance from a nearby pair gives a better estimate.
    let near = loadHash(position)
    return near < hash
      ? min(position + share(of: hash - near, in: last - first), count)
      : max(position - share(of: near - hash, in: last - first), 0)
  }

  /// Prefetches the estimated positions of a hash and its ordinal, without waiting.
  package func prefetch(around hash: UInt32) {
    let (first, last) = (lower ?? 0, upper ?? .max)
    guard first < hash, hash < last else { return }
    let position = share(of: hash - first, in: last - first)
    let line = CacheLine.byteCount
    let hashes = BlockFormat.headerByteCount + (isOld ? 8 : 4) * position
    let ordinals = BlockFormat.headerByteCount + (isOld ? 8 : 4) * count + 4 * position
    bytes.prefetch(hashes - line..<hashes + 2 * line)
    bytes.prefetch(ordinals - line..<ordinals + 2 * line)
  }

  /// The expected number of pairs in `part` if all pairs are evenly spread over `whole`.
  @inlinable
  func share(of part: UInt32, in whole: UInt32) -> Int {
    // Both factors have 32 bits, so the product fits.
    Int(UInt64(min(part, whole)) * UInt64(count) / max(UInt64(whole), 1))
  }

  /// Whether the absence of a hash from this block means that no block of the index has it: the
  /// hash lies strictly between the neighbours' bounds.
  @inlinable
  package func coversMiss(of hash: UInt32) -> Bool {
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

  /// `init` has verified that `count` hashes lie here. Of a version 1 hash the upper half is used.
  @inlinable
  func loadHash(_ index: Int) -> UInt32 {
    let offset = isOld ? 8 * index + 4 : 4 * index
    return bytes.loadInteger(BlockFormat.headerByteCount + offset, as: UInt32.self)
  }

  /// The same number of ordinals follows the hashes.
  @inlinable
  func loadOrdinal(_ index: Int) -> UInt32 {
    let offset = (isOld ? 8 : 4) * count + 4 * index
    return bytes.loadInteger(BlockFormat.headerByteCount + offset, as: UInt32.self)
  }
}
