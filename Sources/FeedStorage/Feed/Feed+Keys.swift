package import FeedRecord
import FeedSchema

// Keys as people write them.
extension Feed {
  /// The sign before the position of a record that has no other key.
  package static let positionSign = DocumentForm.positionKey

  /// The bytes to look up a key that is given as text; nil if no record can have it.
  ///
  /// - Parameter parts: the key, or the parts of a composed one
  package func keyBytes(_ parts: [String]) -> [UInt8]? {
    guard parts.count > 1 else { return parts.first.flatMap { keyBytes(ofText: $0) } }
    guard generation.format.keyForm == .composed else { return nil }
    return ComposedKey.bytes(ofParts: parts.map { Array($0.utf8) })
  }

  /// The bytes to look up a key that is given as ``address(of:at:)`` writes it; nil if no record can
  /// have it.
  package func keyBytes(ofText text: String) -> [UInt8]? {
    if generation.format.keyForm == .composed, text.utf8.first == UInt8(ascii: "[") {
      let utf8 = Array(text.utf8)
      if let bytes = ComposedKey.bytes(ofText: utf8.span.bytes) { return bytes }
    }
    return schema.keyBytes(text)
  }

  /// Whether records have no keys other than their positions.
  package var isFoundByPosition: Bool { generation.format.keyForm == .position }

  /// The number of parts of a key.
  package var keyPartCount: Int { schema.keyTexts.count }

  /// What the key is, for messages: the path of its field, or `position`.
  package var keyName: String {
    schema.document?.key == .position ? "position" : QuotedList.text(ofPaths: schema.keyTexts)
  }

  /// The key of a record as text, by which it is found; nil if it has none. The parts of a composed
  /// key are a JSON array.
  ///
  /// - Parameter position: its position in the feed
  package func keyText(
    of record: borrowing RecordView, at position: Int
  ) throws(StoreError) -> String? {
    do throws(RecordError) {
      switch schema.document?.key {
      case .position: return "\(Self.positionSign)\(position)"
      case .member:
        guard let raw = try record.rawText(DocumentForm.memberField) else { return nil }
        return MemberKey.withBytes(raw) { key in
          key.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
      case .field(let id) where generation.format.keyForm == .composed:
        guard let bytes = try record.rawText(id) else { return nil }
        return ComposedKey.text(bytes)
      case .field, nil: return try schema.text(of: schema.keyField, in: record)
      }
    } catch {
      throw StoreError(error, path: database.directory)
    }
  }

  /// The text by which a record is found: its key, or its position if it has none.
  package func address(
    of record: borrowing RecordView, at position: Int
  ) throws(StoreError) -> String {
    try keyText(of: record, at: position) ?? "\(Self.positionSign)\(position)"
  }

  /// The position that a key names, as in `#12` or `12`; nil for another text.
  ///
  /// - Parameter isSigned: whether the sign is required
  static func position(_ key: RawSpan, isSigned: Bool = false) -> Int? {
    key.withUnsafeBytes { bytes in
      let hasSign = bytes.first == UInt8(ascii: "#")
      guard hasSign || !isSigned else { return nil }
      let digits = hasSign ? bytes.dropFirst() : bytes[...]
      guard (1...18).contains(digits.count),
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      return Int(String(decoding: digits, as: UTF8.self))
    }
  }
}
