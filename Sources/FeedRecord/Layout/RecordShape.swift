/// The sizes that all records of one layout share.
@usableFromInline
struct RecordShape: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline var fieldCount = 0
  @usableFromInline var optionalCount = 0
  /// The total size of the fixed-width fields.
  @usableFromInline var fixedByteCount = 0
  @usableFromInline var variableCount = 0

  @inlinable
  init() {}

  /// Presence bits and null bits, rounded up to bytes.
  @inlinable
  var bitmapByteCount: Int { (fieldCount + optionalCount + 7) >> 3 }

  /// The offset of the end offsets, after the bitmap and the fixed-width fields.
  @inlinable
  var endsOffset: Int { bitmapByteCount + fixedByteCount }

  /// Every variable field except the last has an end offset; the last one ends with the record.
  @inlinable
  var endCount: Int { variableCount > 0 ? variableCount - 1 : 0 }

  /// The offset of the variable bytes.
  @inlinable
  func variableOffset(_ width: OffsetWidth) -> Int { endsOffset + (endCount << width.shift) }

  /// The maximum size of a record with 8-bit offsets. Every record with 16-bit offsets is larger,
  /// so the size determines the width.
  @inlinable
  var maximumShortByteCount: Int {
    variableOffset(.short) + BlockFormat.maximumShortByteCount
  }

  /// Counts another field of `width` bytes; 0 means variable.
  @inlinable
  mutating func add(width: Int, isOptional: Bool) {
    fieldCount += 1
    if isOptional { optionalCount += 1 }
    if width == 0 { variableCount += 1 }
    fixedByteCount += width
  }

  /// The location of the next field to be added, in a layout whose bitmap has `bitmapByteCount`
  /// bytes and whose null bits follow `presenceBitCount` presence bits.
  @inlinable
  func nextLocation(
    rawType: UInt8, isOptional: Bool, presenceBitCount: Int, bitmapByteCount: Int
  ) -> FieldLocation {
    let isVariable = rawType >> 4 == 0
    return FieldLocation(
      rawType: rawType,
      presenceBit: UInt16(truncatingIfNeeded: fieldCount),
      nullBit: isOptional
        ? UInt16(truncatingIfNeeded: presenceBitCount + optionalCount) : FieldLocation.noBit,
      position: UInt16(
        truncatingIfNeeded: isVariable ? variableCount : bitmapByteCount + fixedByteCount)
    )
  }
}

/// The size of a record's end offsets, and of the counts and end offsets of its lists.
@usableFromInline
enum OffsetWidth: UInt8, BitwiseCopyable, Sendable {
  /// 8 bits, in records of at most `BlockFormat.maximumShortByteCount` variable bytes.
  case short
  /// 16 bits.
  case narrow
  /// 32 bits, in wide blocks.
  case wide

  /// The binary logarithm of the bytes of an offset.
  @inlinable
  var shift: Int { Int(rawValue) }

  /// - Parameter variableByteCount: the variable bytes of a record, lists counted with 16-bit
  ///   offsets.
  @inlinable
  init(variableByteCount: Int) {
    self =
      variableByteCount > BlockFormat.maximumNarrowByteCount
      ? .wide : variableByteCount > BlockFormat.maximumShortByteCount ? .narrow : .short
  }
}
