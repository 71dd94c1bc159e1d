/// Packs records into one block after another.
///
/// The bytes of a block in progress lie in one buffer, which `seal` passes on without copying it.
package struct BlockBuilder: ~Copyable, Sendable {
  @usableFromInline let layout: RecordLayout
  @usableFromInline let recordsOffset: Int
  @usableFromInline var store: ByteStore
  /// The start of each record, counted from the records area.
  @usableFromInline var starts: [UInt32] = []
  /// Where the next record goes.
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

  /// Whether a record still fits the target size; an empty block takes any record, and a wide
  /// record takes a whole block.
  @inlinable
  package func canHold(byteCount: Int, isWide: Bool) -> Bool {
    if starts.isEmpty { return true }
    if isWide || self.isWide { return false }
    return byteCount <= BlockFormat.targetByteCount - self.byteCount - 2
  }

  /// Appends a record of this layout that `canHold` allows; one that it does not is a bug of the
  /// caller and traps.
  @inlinable
  package mutating func append(_ record: RawSpan, isWide: Bool) {
    precondition(
      canHold(byteCount: record.byteCount, isWide: isWide), "a record does not fit its block")
    let target = cursor
    // A second record begins within the target size, so 16 bits hold its start.
    starts.append(UInt32(truncatingIfNeeded: cursor - recordsOffset))
    cursor += record.byteCount
    self.isWide = isWide
    // With the starts, or a huge block would be copied once more when it is sealed.
    store.reserve(byteCount, keeping: target)
    store.copy(record, to: target)
  }

  /// Appends finished records of an encoder from one on, as many as fit.
  /// - Returns: the index of the first record that is left for the next block.
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
    // They lie one behind the other there too.
    store.reserve(byteCount, keeping: target)
    store.copy(records.bytes(in: first..<last), to: target)
    return last
  }

  /// The finished block; the builder then begins the next one.
  /// - Parameters:
  ///   - number: the block's place among the blocks of its segment.
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
    store.store(BlockFormat.version, at: Header.version)
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
