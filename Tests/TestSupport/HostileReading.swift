@_spi(Ingest) package import FeedRecord

/// Reads what may have been made by an enemy, by every way there is; errors are what is expected.
package enum HostileReading {
  /// Reads a place as every type.
  package static func readAll(_ record: borrowing RecordView, _ field: FieldLocation) {
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

  /// Reads the outermost bytes of a span, so that one that leads outside is met by a sanitizer.
  package static func touch(_ bytes: RawSpan) {
    guard !bytes.isEmpty else { return }
    let ends = (
      bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self),
      bytes.unsafeLoad(fromByteOffset: bytes.byteCount - 1, as: UInt8.self)
    )
    withExtendedLifetime(ends) {}
  }
}
