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
