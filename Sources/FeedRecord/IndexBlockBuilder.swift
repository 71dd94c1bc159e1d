/// Packs (hash of key, ordinal of record) pairs, in ascending order of hash, into index blocks.
package struct IndexBlockBuilder: ~Copyable, Sendable {
  /// Pairs of a full block.
  @inlinable package static var capacity: Int {
    (BlockFormat.targetByteCount - BlockFormat.headerByteCount) / BlockFormat.indexPairByteCount
  }

  private var hashes: [UInt64] = []
  private var ordinals: [UInt32] = []

  package init() {}

  package var count: Int { hashes.count }

  /// Whether the next pair belongs to the next block.
  package var isFull: Bool { count >= Self.capacity }

  /// The first hash of the block in progress, under which it is stored.
  package var firstHash: UInt64? { hashes.first }

  /// The last hash so far, which is the next block's `lower`.
  package var lastHash: UInt64? { hashes.last }

  /// Appends a pair; its hash must not be below the one before it, or look-ups will miss it.
  package mutating func append(hash: UInt64, ordinal: UInt32) {
    hashes.append(hash)
    ordinals.append(ordinal)
  }

  /// The finished block; the builder then begins the next one.
  /// - Parameters:
  ///   - number: the block's place among the blocks of its index.
  ///   - lower: the last hash of the block before it, nil for the first block.
  ///   - upper: the first hash of the block after it, nil for the last block.
  ///   - seed: from `BlockSeed`.
  package mutating func seal(
    number: UInt32, lower: UInt64?, upper: UInt64?, seed: UInt64
  ) -> [UInt8] {
    typealias Header = BlockFormat.IndexHeader
    let ordinalsOffset = BlockFormat.headerByteCount + 8 * count
    let byteCount = ordinalsOffset + 4 * count
    let store = ByteStore(capacity: byteCount)
    store.store(BlockFormat.indexMagic, at: Header.magic)
    store.store(BlockFormat.version, at: Header.version)
    store.store(
      (lower == nil ? 0 : BlockFormat.indexHasLower)
        | (upper == nil ? 0 : BlockFormat.indexHasUpper), at: Header.flags)
    store.store(number, at: Header.number)
    store.store(UInt32(truncatingIfNeeded: count), at: Header.count)
    store.store(lower ?? 0, at: Header.lower)
    store.store(upper ?? 0, at: Header.upper)
    for index in hashes.indices {
      store.store(hashes[index], at: BlockFormat.headerByteCount + 8 * index)
      store.store(ordinals[index], at: ordinalsOffset + 4 * index)
    }
    hashes.removeAll(keepingCapacity: true)
    ordinals.removeAll(keepingCapacity: true)
    return store.sealed(byteCount: byteCount, seed: seed)
  }
}
