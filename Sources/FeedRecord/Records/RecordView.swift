/// One record, read in place.
///
/// Every access checks the record's bounds: damaged or hostile bytes give an error. An id that the
/// block does not have gives nil, like an absent field. A scan should look up each `FieldLocation`
/// once; an access by id walks over all fields before it.
public struct RecordView: ~Escapable {
  /// The stored bytes of the record.
  public let bytes: RawSpan
  @usableFromInline let table: FieldTable
  @usableFromInline let shape: RecordShape
  @usableFromInline let width: OffsetWidth
  /// The start of the variable bytes; not beyond the end of `bytes`.
  @usableFromInline let variableStart: Int

  /// - Parameter variableStart: as defined by the shape and the width.
  /// - Throws: `damaged` if the record is too short for its shape.
  @inlinable @_lifetime(copy bytes, copy table)
  init(
    _ bytes: RawSpan, table: FieldTable, shape: RecordShape, width: OffsetWidth,
    variableStart: Int
  ) throws(RecordError) {
    guard
      variableStart <= bytes.byteCount
        && (shape.variableCount > 0 || variableStart == bytes.byteCount)
    else {
      throw RecordError(.damaged, "a record has another size than its fields")
    }
    self.bytes = bytes
    self.table = table
    self.shape = shape
    self.width = width
    self.variableStart = variableStart
  }

  /// Views a record outside a block, as the encoder produced it.
  @inlinable @_lifetime(copy bytes, borrow layout)
  package init(
    _ bytes: RawSpan, layout: borrowing RecordLayout, isWide: Bool
  ) throws(RecordError) {
    let table = FieldTable(layout.table.span.bytes)
    let isShort = !isWide && bytes.byteCount <= layout.shape.maximumShortByteCount
    let width: OffsetWidth = isWide ? .wide : isShort ? .short : .narrow
    try self.init(
      bytes, table: table, shape: layout.shape, width: width,
      variableStart: layout.shape.variableOffset(width))
  }

  /// The location of a field in this record and all others of its block; nil if they lack it.
  @inlinable
  public func location(of id: UInt16) -> FieldLocation? {
    table.location(of: id, shape: shape)
  }

  /// Whether the field has a value, which may be empty.
  @inlinable @inline(__always)
  public func isPresent(_ field: FieldLocation) -> Bool { isSet(field.presenceBit) }

  /// Whether the field is an explicit null.
  @inlinable
  public func isNull(_ field: FieldLocation) -> Bool {
    field.nullBit != FieldLocation.noBit && isSet(field.nullBit) && !isSet(field.presenceBit)
  }

  @inlinable @inline(__always)
  func isSet(_ bit: UInt16) -> Bool {
    let byte = Int(bit >> 3)
    // The bitmap of this record holds every bit of its own locations. Those of another layout may
    // lie outside.
    guard byte < shape.bitmapByteCount else { return false }
    return bytes.loadInteger(byte, as: UInt8.self) >> UInt8(bit & 7) & 1 != 0
  }

  /// The bytes of a present variable field.
  @inlinable @inline(__always) @_lifetime(copy self)
  package func variableBytes(
    _ field: FieldLocation, _ type: FieldType
  ) throws(RecordError) -> RawSpan? {
    try check(field, type)
    guard isPresent(field) else { return nil }
    let slot = Int(field.position)
    let areaByteCount = bytes.byteCount - variableStart
    guard slot < shape.variableCount else { throw Self.damaged }
    // Slots below `endCount` have an end offset, which lies before `variableStart`.
    let start = slot > 0 ? loadEnd(slot - 1) : 0
    let end = slot < shape.endCount ? loadEnd(slot) : areaByteCount
    guard start <= end && end <= areaByteCount else { throw Self.damaged }
    return bytes.extracting(variableStart + start..<variableStart + end)
  }

  @inlinable @inline(__always)
  func loadEnd(_ slot: Int) -> Int {
    bytes.loadOffset(slot, from: shape.endsOffset, width)
  }

  /// The offset of a present fixed-width field. The `width` bytes at the offset lie inside the
  /// record.
  @inlinable @inline(__always)
  func fixedOffset(
    _ field: FieldLocation, _ type: FieldType, width: Int
  ) throws(RecordError) -> Int? {
    try check(field, type)
    guard isPresent(field) else { return nil }
    let offset = Int(field.position)
    guard offset <= shape.endsOffset - width else { throw Self.damaged }
    return offset
  }

  @inlinable @inline(__always)
  func check(_ field: FieldLocation, _ type: FieldType) throws(RecordError) {
    guard field.rawType == type.rawValue else {
      throw RecordError(.typeMismatch, "a field has another type than the one asked for")
    }
  }

  @inlinable
  static var damaged: RecordError {
    RecordError(.damaged, "the offsets of a record contradict its size")
  }
}
