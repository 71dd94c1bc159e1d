@_spi(Ingest) package import FeedRecord
import FeedSchema
import LMDB

/// A lookup field of a feed's records, and its bytes as a key.
///
/// The bytes are the UTF-8 of a text or of each element of a text list, the 16 bytes of a UUID, the 8
/// big-endian bytes of an integer, or the text to which a span refers. An absent field has no bytes.
package struct KeyField: Sendable {
  private let location: FieldLocation?
  private let type: FieldType
  /// Whether the records are documents, which may have no key.
  let isOptional: Bool
  /// Whether the text is the key of a member, as it is written between its quotes.
  private let isMemberKey: Bool

  package init(_ identifier: UInt16, of layout: RecordLayout) {
    location = layout.location(of: identifier)
    type = layout.fields.first { $0.id == identifier }?.type ?? .text
    isOptional = layout.isDocument
    isMemberKey = layout.isDocument && identifier == DocumentForm.memberField
  }

  /// Whether fields of a type can be indexed.
  static func canIndex(_ type: FieldType) -> Bool {
    [.text, .textList, .uuid, .integer, .span].contains(type)
  }

  /// Whether a key of a record has these bytes. Does not copy.
  func matches(_ record: RecordView, _ key: RawSpan) throws(RecordError) -> Bool {
    guard let location, record.isPresent(location) else {
      return !isOptional && key.byteCount == 0
    }
    switch type {
    case .text where isMemberKey:
      guard let text = try record.rawText(location) else { return false }
      return MemberKey.withBytes(text) { $0.isEqual(to: key) }
    case .text, .span:
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

  /// The hash of a record's only key; 0 if it is a document without one.
  func hash(_ record: RecordView) throws(RecordError) -> UInt64 {
    var hash: UInt64?
    try forEachKey(of: record) { hash = KeyHash.hash($0) }
    return hash ?? (isOptional ? 0 : KeyHash.hash([UInt8]().span.bytes))
  }

  /// Passes each index pair of a record once; none if the field is absent.
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

  /// Passes the bytes of each key of a record: one, or one per element of its list; none if the
  /// field is absent.
  package func forEachKey(
    of record: RecordView, _ body: (RawSpan) -> Void
  ) throws(RecordError) {
    guard let location, record.isPresent(location) else { return }
    switch type {
    case .text where isMemberKey:
      if let text = try record.rawText(location) { MemberKey.withBytes(text) { body($0) } }
    case .text, .span:
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
