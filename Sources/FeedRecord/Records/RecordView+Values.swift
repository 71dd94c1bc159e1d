// The values of a record's fields; nil if a field is absent or null.
extension RecordView {
  /// The bytes of a text, without copying or UTF-8 validation.
  @inlinable @_lifetime(copy self)
  public func rawText(_ field: FieldLocation) throws(RecordError) -> RawSpan? {
    try variableBytes(field, .text)
  }

  /// A text, validated as UTF-8 and copied.
  @inlinable
  public func text(_ field: FieldLocation) throws(RecordError) -> String? {
    guard let bytes = try variableBytes(field, .text) else { return nil }
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
