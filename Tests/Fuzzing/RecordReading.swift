import FeedRecord

/// Reads all of a record, by every way there is.
enum RecordReading {
  /// Reads a field by its own type; an error is an error.
  static func read(_ record: borrowing RecordView, _ field: RecordField) throws(RecordError) {
    switch field.type {
    case .text: _ = try record.text(field.id)
    case .textList:
      guard let list = try record.textList(field.id) else { return }
      for index in 0..<list.count { _ = try list.element(at: index) }
    case .boolean: _ = try record.boolean(field.id)
    case .integer: _ = try record.integer(field.id)
    case .number: _ = try record.number(field.id)
    case .date: _ = try record.date(field.id)
    case .uuid: _ = try record.uuid(field.id)
    }
  }

  /// Reads a place as every type; errors are what is expected of hostile bytes.
  static func readAll(_ record: borrowing RecordView, _ field: FieldLocation) {
    _ = (record.isPresent(field), record.isNull(field))
    if let text = try? record.rawText(field) { touch(text) }
    _ = try? record.text(field)
    _ = try? record.integer(field)
    _ = try? record.number(field)
    _ = try? record.date(field)
    _ = try? record.boolean(field)
    _ = try? record.uuid(field)
    guard let list = try? record.textList(field) else { return }
    for index in 0..<min(list.count, 64) {
      if let element = try? list.rawElement(at: index) { touch(element) }
      _ = try? list.element(at: index)
    }
    _ = try? list.rawElement(at: list.count)
    _ = try? list.rawElement(at: -1)
  }

  /// Reads the outermost bytes of a span, so that the address sanitizer sees one that leads
  /// outside.
  static func touch(_ bytes: RawSpan) {
    guard !bytes.isEmpty else { return }
    let ends = (
      bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self),
      bytes.unsafeLoad(fromByteOffset: bytes.byteCount - 1, as: UInt8.self)
    )
    withExtendedLifetime(ends) {}
  }
}
