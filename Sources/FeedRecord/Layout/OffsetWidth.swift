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
