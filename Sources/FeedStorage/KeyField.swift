@_spi(Ingest) package import FeedRecord
import LMDB

/// A field by which the records of a feed are looked up, and its bytes as a key.
///
/// A text's UTF-8 bytes, and those of each element of a list of texts; the 16 bytes of a UUID; an
/// integer's 8 bytes, big-endian; no bytes where the field is absent.
package struct KeyField: Sendable {
  private let location: FieldLocation?
  private let type: FieldType

  package init(_ identifier: UInt16, of layout: RecordLayout) {
    location = layout.location(of: identifier)
    type = layout.fields.first { $0.id == identifier }?.type ?? .text
  }

  /// Whether fields of a type have bytes to be looked up by.
  static func canIndex(_ type: FieldType) -> Bool {
    [.text, .textList, .uuid, .integer].contains(type)
  }

  /// Whether a record's key, or one of its keys, has these bytes. No copy.
  func matches(_ record: RecordView, _ key: RawSpan) throws(RecordError) -> Bool {
    guard let location, record.isPresent(location) else { return key.byteCount == 0 }
    switch type {
    case .text:
      return try record.rawText(location)?.isEqual(to: key) ?? false
    case .textList:
      guard let list = try record.textList(location) else { return false }
      for index in 0..<list.count where try list.rawElement(at: index).isEqual(to: key) {
        return true
      }
      return false
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

  /// The hash under which a record is indexed by its one key.
  func hash(_ record: RecordView) throws(RecordError) -> UInt64 {
    var hash: UInt64?
    try forEachKey(of: record) { hash = KeyHash.hash($0) }
    return hash ?? KeyHash.hash([UInt8]().span.bytes)
  }

  /// Gives each pair under which a record is indexed, once; none where the field is absent.
  func forEachPair(
    _ record: RecordView, ordinal: UInt32, _ body: (KeyPair) -> Void
  ) throws(RecordError) {
    guard type == .textList else {
      return try forEachKey(of: record) {
        body(KeyPair(keyHash: KeyHash.hash($0), ordinal: ordinal))
      }
    }
    var seen: Set<KeyPair> = []
    try forEachKey(of: record) { key in
      let pair = KeyPair(keyHash: KeyHash.hash(key), ordinal: ordinal)
      if seen.insert(pair).inserted { body(pair) }
    }
  }

  /// Lends the bytes of each key of a record: one, or as many as its list has elements; none where
  /// the field is absent.
  package func forEachKey(
    of record: RecordView, _ body: (RawSpan) -> Void
  ) throws(RecordError) {
    guard let location, record.isPresent(location) else { return }
    switch type {
    case .text:
      if let text = try record.rawText(location) { body(text) }
    case .textList:
      guard let list = try record.textList(location) else { return }
      for index in 0..<list.count { body(try list.rawElement(at: index)) }
    case .uuid:
      guard let value = try record.uuid(location) else { return }
      body(StoreKey.block(segment: value.high, ordinal: value.low).span.bytes)
    case .integer:
      guard let value = try record.integer(location) else { return }
      body(StoreKey.number(UInt64(bitPattern: value)).span.bytes)
    default:
      return
    }
  }
}
