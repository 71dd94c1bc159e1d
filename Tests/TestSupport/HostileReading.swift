@_spi(Ingest) package import FeedRecord
import Synchronization

/// Reads possibly hostile data in every available way. Errors are expected.
package enum HostileReading {
  private static let sum = Atomic<UInt64>(0)

  /// Uses a value, because the compiler drops a read whose value is unused.
  package static func use(_ value: some FixedWidthInteger) {
    sum.wrappingAdd(UInt64(truncatingIfNeeded: value), ordering: .relaxed)
  }

  /// Reads a field location as every type.
  package static func readAll(_ record: borrowing RecordView, _ field: FieldLocation) {
    use((record.isPresent(field) ? 1 : 0) + (record.isNull(field) ? 2 : 0))
    if let text = try? record.rawText(field) { touch(text) }
    if let text = try? record.text(field) { use(text.utf8.count) }
    if let value = try? record.integer(field) { use(value) }
    if let value = try? record.number(field) { use(value.bitPattern) }
    if let value = try? record.date(field) { use(value.bitPattern) }
    if let value = try? record.boolean(field) { use(value ? 1 : 0) }
    if let value = try? record.uuid(field) { use(value.high ^ value.low) }
    guard let list = try? record.textList(field) else { return }
    for index in 0..<min(list.count, 64) {
      if let element = try? list.rawElement(at: index) { touch(element) }
      if let element = try? list.element(at: index) { use(element.utf8.count) }
    }
    if let element = try? list.rawElement(at: list.count) { touch(element) }
    if let element = try? list.rawElement(at: -1) { touch(element) }
  }

  /// Reads the outermost bytes of a span, so that a sanitizer or a guard page detects a span that
  /// is out of bounds.
  package static func touch(_ bytes: RawSpan) {
    guard !bytes.isEmpty else { return }
    use(bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
    use(bytes.unsafeLoad(fromByteOffset: bytes.byteCount - 1, as: UInt8.self))
  }
}
