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

// The same accessors by field id, for readers of few records. An unknown id is an absent field.
extension RecordView {
  /// Whether the record has a value in the field.
  @inlinable
  public func isPresent(_ id: UInt16) -> Bool {
    guard let field = location(of: id) else { return false }
    return isPresent(field)
  }

  /// Whether the field is an explicit null.
  @inlinable
  public func isNull(_ id: UInt16) -> Bool {
    guard let field = location(of: id) else { return false }
    return isNull(field)
  }

  /// The bytes of a text, without copying or UTF-8 validation.
  @inlinable @_lifetime(copy self)
  public func rawText(_ id: UInt16) throws(RecordError) -> RawSpan? {
    guard let field = location(of: id) else { return nil }
    return try rawText(field)
  }

  /// A text, validated as UTF-8 and copied.
  @inlinable
  public func text(_ id: UInt16) throws(RecordError) -> String? {
    guard let field = location(of: id) else { return nil }
    return try text(field)
  }

  /// A list field, borrowed without a copy; nil if it is absent or null.
  @inlinable @_lifetime(copy self)
  public func textList(_ id: UInt16) throws(RecordError) -> TextListView? {
    guard let field = location(of: id) else { return nil }
    return try textList(field)
  }

  /// A signed 64-bit field; nil if it is absent or null.
  @inlinable
  public func integer(_ id: UInt16) throws(RecordError) -> Int64? {
    guard let field = location(of: id) else { return nil }
    return try integer(field)
  }

  /// A floating-point field, bit for bit; nil if it is absent or null.
  @inlinable
  public func number(_ id: UInt16) throws(RecordError) -> Double? {
    guard let field = location(of: id) else { return nil }
    return try number(field)
  }

  /// Seconds since 2001-01-01T00:00:00Z, bit for bit as stored.
  @inlinable
  public func date(_ id: UInt16) throws(RecordError) -> Double? {
    guard let field = location(of: id) else { return nil }
    return try date(field)
  }

  /// A boolean field; nil if it is absent or null.
  @inlinable
  public func boolean(_ id: UInt16) throws(RecordError) -> Bool? {
    guard let field = location(of: id) else { return nil }
    return try boolean(field)
  }

  /// The first and the last eight bytes of a UUID in text order, most significant byte first.
  @inlinable
  public func uuid(_ id: UInt16) throws(RecordError) -> (high: UInt64, low: UInt64)? {
    guard let field = location(of: id) else { return nil }
    return try uuid(field)
  }
}

// The values of a record's fields; nil if a field is absent or null.
extension RecordView {
  /// The bytes of a text, without copying or UTF-8 validation.
  @inlinable @_lifetime(copy self)
  public func rawText(_ field: FieldLocation) throws(RecordError) -> RawSpan? {
    if field.rawType == FieldType.span.rawValue { return try spanBytes(field) }
    return try variableBytes(field, .text)
  }

  /// The JSON text of a document's record, without copying or UTF-8 validation.
  @inlinable @_lifetime(copy self)
  public func rawJSON(_ field: FieldLocation) throws(RecordError) -> RawSpan? {
    try variableBytes(field, .json)
  }

  /// The text to which a span refers; nil if it is too far from the record's start to be in reach.
  @inlinable @_lifetime(copy self)
  func spanBytes(_ field: FieldLocation) throws(RecordError) -> RawSpan? {
    guard let offset = try fixedOffset(field, .span, width: 4) else { return nil }
    let start = Int(bytes.loadInteger(offset, as: UInt16.self))
    let count = Int(bytes.loadInteger(offset + 2, as: UInt16.self))
    if start == SpanFormat.far, count == SpanFormat.far { return nil }
    guard start + count <= bytes.byteCount - variableStart else { throw Self.damaged }
    return bytes.extracting(variableStart + start..<variableStart + start + count)
  }

  /// A text, validated as UTF-8 and copied.
  @inlinable
  public func text(_ field: FieldLocation) throws(RecordError) -> String? {
    guard let bytes = try rawText(field) else { return nil }
    return try bytes.validatedText()
  }

  /// A list field, borrowed without a copy; nil if it is absent or null.
  @inlinable @_lifetime(copy self)
  public func textList(_ field: FieldLocation) throws(RecordError) -> TextListView? {
    guard let bytes = try variableBytes(field, .textList) else { return nil }
    return try TextListView(bytes, width)
  }

  /// A signed 64-bit field; nil if it is absent or null.
  @inlinable
  public func integer(_ field: FieldLocation) throws(RecordError) -> Int64? {
    guard let offset = try fixedOffset(field, .integer, width: 8) else { return nil }
    return bytes.loadInteger(offset, as: Int64.self)
  }

  /// A floating-point field, bit for bit; nil if it is absent or null.
  @inlinable
  public func number(_ field: FieldLocation) throws(RecordError) -> Double? {
    guard let offset = try fixedOffset(field, .number, width: 8) else { return nil }
    return Double(bitPattern: bytes.loadInteger(offset, as: UInt64.self))
  }

  /// Seconds since 2001-01-01T00:00:00Z, bit for bit as stored.
  @inlinable
  public func date(_ field: FieldLocation) throws(RecordError) -> Double? {
    guard let offset = try fixedOffset(field, .date, width: 8) else { return nil }
    return Double(bitPattern: bytes.loadInteger(offset, as: UInt64.self))
  }

  /// A boolean field; nil if it is absent or null.
  @inlinable
  public func boolean(_ field: FieldLocation) throws(RecordError) -> Bool? {
    guard let offset = try fixedOffset(field, .boolean, width: 1) else { return nil }
    switch bytes.loadInteger(offset, as: UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw RecordError(.damaged, "a boolean is neither 0 nor 1")
    }
  }

  /// The sixteen bytes of a UUID in text order, not copied.
  @inlinable @_lifetime(copy self)
  package func rawUUID(_ field: FieldLocation) throws(RecordError) -> RawSpan? {
    guard let offset = try fixedOffset(field, .uuid, width: 16) else { return nil }
    return bytes.extracting(offset..<offset + 16)
  }

  /// The first and the last eight bytes of a UUID in text order, most significant byte first.
  @inlinable
  public func uuid(
    _ field: FieldLocation
  ) throws(RecordError) -> (high: UInt64, low: UInt64)? {
    guard let offset = try fixedOffset(field, .uuid, width: 16) else { return nil }
    return (
      bytes.loadInteger(offset, as: UInt64.self).byteSwapped,
      bytes.loadInteger(offset + 8, as: UInt64.self).byteSwapped
    )
  }
}

extension RawSpan {
  /// Copies bytes and validates that they are UTF-8.
  @inlinable
  func validatedText() throws(RecordError) -> String {
    do {
      return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: self)))
    } catch {
      throw RecordError(.invalidText, "a text is not UTF-8")
    }
  }
}
