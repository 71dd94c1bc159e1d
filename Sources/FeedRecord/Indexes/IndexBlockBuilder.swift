/// Packs (key hash, record ordinal) pairs, in ascending order of hash, into index blocks.
package struct IndexBlockBuilder: ~Copyable, Sendable {
  /// The number of pairs in a full block.
  private let capacity: Int
  private var pairs: [KeyPair] = []

  /// - Parameter byteCount: the maximum size of a block.
  package init(byteCount: Int = BlockFormat.targetByteCount) {
    capacity = Self.capacity(byteCount: byteCount)
  }

  /// The number of pairs in a full block of this size.
  package static func capacity(byteCount: Int = BlockFormat.targetByteCount) -> Int {
    (byteCount - BlockFormat.headerByteCount) / BlockFormat.indexPairByteCount
  }

  package var count: Int { pairs.count }

  /// The number of pairs that the block can still take.
  package var remainingCapacity: Int { capacity - count }

  /// The first hash of the current block, which is part of its storage key.
  package var firstHash: UInt32? { pairs.first?.hash }

  /// The last hash so far, which is the next block's `lower`.
  package var lastHash: UInt32? { pairs.last?.hash }

  /// Appends a pair. Its hash must not be below the previous one, or lookups will miss it.
  @_spi(Ingest) public mutating func append(_ pair: KeyPair) {
    pairs.append(pair)
  }

  /// Appends at most `remainingCapacity` pairs, in the same order.
  @_spi(Ingest) public mutating func append(contentsOf pairs: ArraySlice<KeyPair>) {
    self.pairs.append(contentsOf: pairs)
  }

  /// Returns the finished block and begins the next one.
  /// - Parameters:
  ///   - number: the index of the block in its index.
  ///   - lower: the last hash of the previous block, nil for the first block.
  ///   - upper: the first hash of the next block, nil for the last block.
  ///   - seed: from `BlockSeed`.
  package mutating func seal(
    number: UInt32, lower: UInt32?, upper: UInt32?, seed: UInt64
  ) -> SealedBlock {
    typealias Header = BlockFormat.IndexHeader
    let hashesOffset = BlockFormat.headerByteCount
    let ordinalsOffset = hashesOffset + 4 * count
    let byteCount = ordinalsOffset + 4 * count
    let store = ByteStore(capacity: byteCount)
    store.store(BlockFormat.indexMagic, at: Header.magic)
    store.store(BlockFormat.indexVersion, at: Header.version)
    store.store(
      (lower == nil ? 0 : BlockFormat.indexHasLower)
        | (upper == nil ? 0 : BlockFormat.indexHasUpper), at: Header.flags)
    store.store(number, at: Header.number)
    store.store(UInt32(truncatingIfNeeded: count), at: Header.count)
    store.store(UInt64(lower ?? 0), at: Header.lower)
    store.store(UInt64(upper ?? 0), at: Header.upper)
    for index in pairs.indices {
      store.store(pairs[index].hash, at: hashesOffset + 4 * index)
      store.store(pairs[index].ordinal, at: ordinalsOffset + 4 * index)
    }
    pairs.removeAll(keepingCapacity: true)
    return SealedBlock(store, byteCount: byteCount, seed: seed)
  }
}
