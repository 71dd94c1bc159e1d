// The same accesses by field id, for those who read few records. An unknown id is an absent field.
extension RecordView {
  /// True if the record has a value in the field.
  @inlinable
  public func isPresent(_ id: UInt16) -> Bool {
    guard let field = location(of: id) else { return false }
    return isPresent(field)
  }

  /// True if null stood in the field.
  @inlinable
  public func isNull(_ id: UInt16) -> Bool {
    guard let field = location(of: id) else { return false }
    return isNull(field)
  }

  /// The bytes of a text, neither copied nor proved to be UTF-8.
  @inlinable @_lifetime(copy self)
  public func rawText(_ id: UInt16) throws(RecordError) -> RawSpan? {
    guard let field = location(of: id) else { return nil }
    return try rawText(field)
  }

  /// A text, proved to be UTF-8 and copied.
  @inlinable
  public func text(_ id: UInt16) throws(RecordError) -> String? {
    guard let field = location(of: id) else { return nil }
    return try text(field)
  }

  /// A list field, lent without a copy; nil where it is absent or null.
  @inlinable @_lifetime(copy self)
  public func textList(_ id: UInt16) throws(RecordError) -> TextListView? {
    guard let field = location(of: id) else { return nil }
    return try textList(field)
  }

  /// A field of 64 bits with a sign; nil where it is absent or null.
  @inlinable
  public func integer(_ id: UInt16) throws(RecordError) -> Int64? {
    guard let field = location(of: id) else { return nil }
    return try integer(field)
  }

  /// A floating-point field, bit for bit; nil where it is absent or null.
  @inlinable
  public func number(_ id: UInt16) throws(RecordError) -> Double? {
    guard let field = location(of: id) else { return nil }
    return try number(field)
  }

  /// Seconds since 2001-01-01T00:00:00Z, bit for bit as they were stored.
  @inlinable
  public func date(_ id: UInt16) throws(RecordError) -> Double? {
    guard let field = location(of: id) else { return nil }
    return try date(field)
  }

  /// A field of one truth value; nil where it is absent or null.
  @inlinable
  public func boolean(_ id: UInt16) throws(RecordError) -> Bool? {
    guard let field = location(of: id) else { return nil }
    return try boolean(field)
  }

  /// The first and the last eight bytes of a UUID's text order, most significant byte first.
  @inlinable
  public func uuid(_ id: UInt16) throws(RecordError) -> (high: UInt64, low: UInt64)? {
    guard let field = location(of: id) else { return nil }
    return try uuid(field)
  }
}
