package import FeedRecord
import FeedSchema

// Keys as people write them.
extension Feed {
  /// The sign before the position of a record that has no other key.
  package static let positionSign = "#"

  /// The bytes to look up a key that is given as text; nil if no record can have it.
  ///
  /// - Parameter parts: the key, or the parts of a composed one
  package func keyBytes(_ parts: [String]) -> [UInt8]? {
    guard parts.count > 1 else { return parts.first.flatMap { schema.keyBytes($0) } }
    guard schema.document != nil else { return nil }
    return Array(parts.map { Array($0.utf8) }.joined(separator: [DocumentForm.partSeparator]))
  }

  /// The key of a record as text, by which it is found; nil if it has none.
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
      case .field, nil: return try schema.text(of: schema.keyField, in: record)
      }
    } catch {
      throw StoreError(error, path: database.directory)
    }
  }

  /// The position that a key names, as in `#12`; nil for another text.
  static func position(_ key: RawSpan) -> Int? {
    key.withUnsafeBytes { bytes in
      let digits = bytes.first == UInt8(ascii: "#") ? bytes.dropFirst() : bytes[...]
      guard (1...18).contains(digits.count),
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else { return nil }
      return Int(String(decoding: digits, as: UTF8.self))
    }
  }
}
