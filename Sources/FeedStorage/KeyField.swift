import FeedRecord
import LMDB

/// The field by which the records of a feed are looked up, and its bytes as a key.
///
/// A text's UTF-8 bytes; the 16 bytes of a UUID; an integer's 8 bytes,
/// big-endian; no bytes where the field is absent.
struct KeyField: Sendable {
  private let location: FieldLocation?
  private let type: FieldType

  init(_ identifier: UInt16, of layout: RecordLayout) {
    location = layout.location(of: identifier)
    type = layout.fields.first { $0.id == identifier }?.type ?? .text
  }

  /// Whether a record's key has these bytes. No copy.
  func matches(_ record: RecordView, _ key: RawSpan) throws(RecordError) -> Bool {
    guard let location, record.isPresent(location) else { return key.byteCount == 0 }
    switch type {
    case .text:
      return try record.rawText(location)?.isEqual(to: key) ?? false
    case .uuid:
      guard let value = try record.uuid(location), key.byteCount == 16 else { return false }
      return key.bigEndian(at: 0, as: UInt64.self) == value.high
        && key.bigEndian(at: 8, as: UInt64.self) == value.low
    case .integer:
      guard let value = try record.integer(location), key.byteCount == 8 else { return false }
      return key.bigEndian(at: 0, as: Int64.self) == value
    default:
      return false
    }
  }

  /// The hash under which a record is indexed.
  func hash(_ record: RecordView) throws(RecordError) -> UInt64 {
    guard let location, record.isPresent(location) else { return hash([]) }
    switch type {
    case .text:
      guard let text = try record.rawText(location) else { return hash([]) }
      return KeyHash.hash(text)
    case .uuid:
      guard let value = try record.uuid(location) else { return hash([]) }
      let bytes = StoreKey.block(segment: value.high, ordinal: value.low)
      return KeyHash.hash(bytes.span.bytes)
    case .integer:
      guard let value = try record.integer(location) else { return hash([]) }
      let bytes = StoreKey.number(UInt64(bitPattern: value))
      return KeyHash.hash(bytes.span.bytes)
    default:
      return hash([])
    }
  }

  private func hash(_ bytes: [UInt8]) -> UInt64 { KeyHash.hash(bytes.span.bytes) }
}
