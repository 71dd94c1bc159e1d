/// Packs records into consecutive blocks.
///
/// The current block is built in one buffer, which `seal` passes on without a copy.
package struct BlockBuilder: ~Copyable, Sendable {
  @usableFromInline let layout: RecordLayout
  @usableFromInline let recordsOffset: Int
  @usableFromInline var store: ByteStore
  /// The start of each record, relative to the records area.
  @usableFromInline var starts: [UInt32] = []
  /// The offset of the next record.
  @usableFromInline var cursor: Int
  @usableFromInline var isWide = false

  package init(layout: RecordLayout) {
    self.layout = layout
    recordsOffset = BlockFormat.headerByteCount + layout.table.count
    cursor = recordsOffset
    store = ByteStore(capacity: BlockFormat.targetByteCount)
  }

  @inlinable
  package var recordCount: Int { starts.count }

  /// The size of the block if it were sealed now.
  @inlinable
  package var byteCount: Int { cursor + (starts.count << (isWide ? 2 : 1)) }

  /// Whether a record still fits the target size. An empty block takes any record, and a wide
  /// record takes a whole block.
  @inlinable
  package func canHold(byteCount: Int, isWide: Bool) -> Bool {
    if starts.isEmpty { return true }
    if isWide || self.isWide { return false }
    return byteCount <= BlockFormat.targetByteCount - self.byteCount - 2
  }

  /// Appends a record of this layout that `canHold` allows. Any other record is a bug of the caller
  /// and traps.
  @inlinable
  package mutating func append(_ record: RawSpan, isWide: Bool) {
    precondition(
      canHold(byteCount: record.byteCount, isWide: isWide), "a record does not fit its block")
    let target = cursor
    // A second record begins within the target size, so its start fits in 16 bits.
    starts.append(UInt32(truncatingIfNeeded: cursor - recordsOffset))
    cursor += record.byteCount
    self.isWide = isWide
    // Includes the starts, so that a huge block is not copied again when it is sealed.
    store.reserve(byteCount, keeping: target)
    store.copy(record, to: target)
  }

  /// Appends finished records of an encoder, from `first` on, as many as fit.
  /// - Returns: the index of the first record left for the next block.
  package mutating func append(_ records: borrowing RecordEncoder, from first: Int) -> Int {
    let target = cursor
    var last = first
    while last < records.count {
      let byteCount = records.byteCount(at: last)
      let isWide = records.isWide(at: last)
      guard canHold(byteCount: byteCount, isWide: isWide) else { break }
      starts.append(UInt32(truncatingIfNeeded: cursor - recordsOffset))
      cursor += byteCount
      self.isWide = isWide
      last += 1
    }
    // The encoder stores them contiguously too.
    store.reserve(byteCount, keeping: target)
    store.copy(records.bytes(in: first..<last), to: target)
    return last
  }

  /// Returns the finished block and begins the next one.
  /// - Parameters:
  ///   - number: the index of the block in its segment.
  ///   - firstOrdinal: the ordinal of its first record in the segment.
  ///   - seed: from `BlockSeed`.
  package mutating func seal(number: UInt32, firstOrdinal: UInt64, seed: UInt64) -> SealedBlock {
    let sealedByteCount = byteCount
    writeHeader(number: number, firstOrdinal: firstOrdinal)
    writeStarts()
    starts.removeAll(keepingCapacity: true)
    cursor = recordsOffset
    isWide = false
    var sealed = ByteStore(capacity: BlockFormat.targetByteCount)
    swap(&sealed, &store)
    return SealedBlock(sealed, byteCount: sealedByteCount, seed: seed)
  }

  private func writeHeader(number: UInt32, firstOrdinal: UInt64) {
    typealias Header = BlockFormat.Header
    store.store(BlockFormat.magic, at: Header.magic)
    store.store(
      layout.isDocument ? BlockFormat.documentVersion : BlockFormat.version, at: Header.version)
    store.store(UInt16(truncatingIfNeeded: layout.fields.count), at: Header.fieldCount)
    store.store(firstOrdinal, at: Header.firstOrdinal)
    store.store(number, at: Header.number)
    store.store(UInt32(truncatingIfNeeded: starts.count), at: Header.recordCount)
    store.store(layout.schemaID, at: Header.schemaID)
    store.store(isWide ? BlockFormat.wideBlock : 0, at: Header.flags)
    store.store(0 as UInt16, at: Header.reserved)
    store.copy(layout.table.span.bytes, to: BlockFormat.headerByteCount)
  }

  private func writeStarts() {
    for (index, start) in starts.enumerated() {
      if isWide {
        store.store(start, at: cursor + (index << 2))
      } else {
        store.store(UInt16(truncatingIfNeeded: start), at: cursor + (index << 1))
      }
    }
  }
}
