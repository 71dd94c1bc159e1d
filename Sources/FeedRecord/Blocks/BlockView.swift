import CXXHash

/// A block of records, read in place.
///
/// The initializer verifies that the header, the field table and the array of record starts lie
/// inside the bytes. It does not verify the checksum; `verify` does.
public struct BlockView: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline let table: FieldTable
  @usableFromInline let shape: RecordShape
  /// Whether offsets in the block have 32 bits.
  public let isWide: Bool
  /// Whether the block has version 1, which had no 8-bit offsets.
  @usableFromInline package let isOld: Bool
  /// The maximum size of a record with 8-bit offsets; -1 if the block has none.
  @usableFromInline let shortByteCount: Int
  /// The start of the variable bytes in records with 8-bit offsets, and in the others.
  @usableFromInline let shortOffset: Int
  @usableFromInline let longOffset: Int
  /// The number of records.
  public let recordCount: Int
  /// The offset of the records.
  @usableFromInline let recordsOffset: Int
  /// The end of the records, where the array of their starts begins.
  @usableFromInline let startsOffset: Int

  /// Reads the header. The cost is a few nanoseconds per field.
  /// - Throws: `damaged` if the bytes are not a block, `unsupportedVersion` if the block is newer.
  @inlinable @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) throws(RecordError) {
    try self.init(bytes) { table throws(RecordError) in BlockShape(try table.shape()) }
  }

  /// Reads the header of a block that is already known to have a layout of this shape. Otherwise
  /// the view is useless. The cost does not depend on the number of fields.
  /// - Throws: the same errors as the other initializer
  @inlinable @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, shape: BlockShape) throws(RecordError) {
    try self.init(bytes) { table throws(RecordError) in
      guard table.count == shape.shape.fieldCount else {
        throw RecordError(.damaged, "a block has other fields than its segment")
      }
      return shape
    }
  }

  @inlinable @inline(__always) @_lifetime(copy bytes)
  init(
    _ bytes: RawSpan, _ blockShape: (FieldTable) throws(RecordError) -> BlockShape
  ) throws(RecordError) {
    typealias Header = BlockFormat.Header
    guard bytes.byteCount >= BlockFormat.headerByteCount,
      bytes.loadInteger(Header.magic, as: UInt32.self) == BlockFormat.magic
    else {
      throw RecordError(.damaged, "the bytes are not a block of records")
    }
    let version = bytes.loadInteger(Header.version, as: UInt16.self)
    guard version >= 1, version <= BlockFormat.documentVersion else {
      throw RecordError(.unsupportedVersion, "a newer version of this program wrote the block")
    }
    let fieldCount = Int(bytes.loadInteger(Header.fieldCount, as: UInt16.self))
    let flags = bytes.loadInteger(Header.flags, as: UInt16.self)
    // At most 40 + 4 * 65 535 and 4 * (2^32 - 1): neither sum overflows.
    let recordsOffset = BlockFormat.headerByteCount + fieldCount * BlockFormat.fieldEntryByteCount
    let isWide = flags & BlockFormat.wideBlock != 0
    let recordCount = Int(bytes.loadInteger(Header.recordCount, as: UInt32.self))
    let startsByteCount = recordCount << (isWide ? 2 : 1)
    guard fieldCount <= RecordLayout.maximumFieldCount, flags & ~BlockFormat.wideBlock == 0,
      bytes.loadInteger(Header.reserved, as: UInt16.self) == 0,
      recordsOffset <= bytes.byteCount, startsByteCount <= bytes.byteCount - recordsOffset
    else {
      throw RecordError(.damaged, "the header of a block contradicts its size")
    }
    table = FieldTable(bytes.extracting(BlockFormat.headerByteCount..<recordsOffset))
    let blockShape = try blockShape(table)
    shape = blockShape.shape
    self.bytes = bytes
    self.isWide = isWide
    isOld = version == 1
    shortByteCount = isWide || isOld ? -1 : blockShape.maximumShortByteCount
    shortOffset = blockShape.shortOffset
    longOffset = isWide ? blockShape.wideOffset : blockShape.narrowOffset
    self.recordCount = recordCount
    self.recordsOffset = recordsOffset
    startsOffset = bytes.byteCount - startsByteCount
  }

  /// Reads a byte of each cache line, to bring the block into the cache before all its records are
  /// read. Their parts are too far apart for the hardware prefetcher. Skips blocks larger than the
  /// target size.
  package func touch() {
    bytes.withUnsafeBytes { bytes in
      if bytes.count <= BlockFormat.targetByteCount {
        feedcore_touch(bytes.baseAddress, bytes.count)
      }
    }
  }

  /// Prefetches the entry that locates a record, without waiting.
  package func prefetchStart(of index: Int) {
    guard index >= 0, index < recordCount else { return }
    let start = startsOffset + index << (isWide ? 2 : 1)
    // Includes the next entry, which is the end of this record.
    bytes.prefetch(start..<start + 8)
  }

  /// Prefetches a record, or the beginning of a long one, without waiting.
  package func prefetchRecord(at index: Int) {
    guard let record = try? record(at: index) else { return }
    record.bytes.prefetch(0..<Self.prefetchedByteCount)
  }

  private static var prefetchedByteCount: Int { 1 << 10 }

  /// The index of the block in its segment.
  @inlinable
  public var number: UInt32 { bytes.loadInteger(BlockFormat.Header.number, as: UInt32.self) }

  /// The checksum stored in the block.
  @inlinable
  package var checksum: UInt64 { bytes.loadInteger(BlockFormat.Header.checksum, as: UInt64.self) }

  /// The ordinal in the segment of the block's first record.
  @inlinable
  public var firstOrdinal: UInt64 {
    bytes.loadInteger(BlockFormat.Header.firstOrdinal, as: UInt64.self)
  }

  /// The number of the schema of its records.
  @inlinable
  public var schemaID: UInt32 { bytes.loadInteger(BlockFormat.Header.schemaID, as: UInt32.self) }

  /// Verifies every byte of the block, and that its position matches `seed`. Reads the whole block.
  /// - Throws: `checksumMismatch`.
  package func verify(seed: UInt64) throws(RecordError) {
    try BlockChecksum.verify(bytes, seed: seed)
  }

  /// The record at `index`, below `recordCount`. The cost does not depend on the index.
  /// - Throws: `outOfRange`, or `damaged` if its bounds are inconsistent.
  @inlinable @_lifetime(copy self)
  public func record(at index: Int) throws(RecordError) -> RecordView {
    guard index >= 0 && index < recordCount else {
      throw RecordError(.outOfRange, "a block has no record of this index")
    }
    let areaByteCount = startsOffset - recordsOffset
    let startWidth: OffsetWidth = isWide ? .wide : .narrow
    let start = bytes.loadOffset(index, from: startsOffset, startWidth)
    let end =
      index + 1 < recordCount
      ? bytes.loadOffset(index + 1, from: startsOffset, startWidth) : areaByteCount
    guard start <= end && end <= areaByteCount else {
      throw RecordError(.damaged, "the records of a block overlap or leave it")
    }
    let record = bytes.extracting(recordsOffset + start..<recordsOffset + end)
    let isShort = record.byteCount <= shortByteCount
    return try RecordView(
      record, table: table, shape: shape, width: isShort ? .short : startWidth,
      variableStart: isShort ? shortOffset : longOffset)
  }

  /// The location of a field in every record of this block; nil if they do not have it.
  @inlinable
  public func location(of id: UInt16) -> FieldLocation? {
    table.location(of: id, shape: shape)
  }

  /// Whether the block's records have exactly this layout, so that its locations are valid here.
  package func matches(_ layout: RecordLayout) -> Bool {
    schemaID == layout.schemaID && table.bytes.hasSameBytes(as: layout.table.span.bytes)
  }

  /// The layout of the block's records. Allocates.
  /// - Throws: `unsupportedVersion` for a field type of a newer writer, `invalidLayout` for two
  ///   fields with the same id.
  package func layout() throws(RecordError) -> RecordLayout {
    var fields: [RecordField] = []
    for index in 0..<table.count {
      guard let type = FieldType(rawValue: table.rawType(at: index)) else {
        throw RecordError(.unsupportedVersion, "a block has a field type that is not known")
      }
      fields.append(
        RecordField(
          id: table.id(at: index), type: type, isOptional: table.isOptional(at: index)))
    }
    return try RecordLayout(schemaID: schemaID, fields: fields)
  }
}

/// The layout values that a block view needs, computed once.
@usableFromInline
package struct BlockShape: Sendable, BitwiseCopyable {
  @usableFromInline let shape: RecordShape
  /// The maximum size of a record with 8-bit offsets.
  @usableFromInline let maximumShortByteCount: Int
  /// The start of the variable bytes, by offset width.
  @usableFromInline let shortOffset: Int
  @usableFromInline let narrowOffset: Int
  @usableFromInline let wideOffset: Int

  package init(_ layout: RecordLayout) { self.init(layout.shape) }

  @inlinable
  init(_ shape: RecordShape) {
    self.shape = shape
    maximumShortByteCount = shape.maximumShortByteCount
    shortOffset = shape.variableOffset(.short)
    narrowOffset = shape.variableOffset(.narrow)
    wideOffset = shape.variableOffset(.wide)
  }
}
