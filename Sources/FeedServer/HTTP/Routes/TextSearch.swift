@_spi(Records) import JSONStream

/// Looks for a text in fields of records, whatever the case of its letters.
struct TextSearch: Sendable {
  private let wanted: [UInt8]
  private let folded: String
  /// Of ASCII alone, letters fold byte by byte, without a `String` a record.
  private let isASCII: Bool

  init(_ text: String) {
    folded = text.lowercased()
    wanted = Array(folded.utf8)
    isASCII = wanted.allSatisfy { $0 < 0x80 }
  }

  /// Whether the text is somewhere in a field.
  func isPart(of field: borrowing RawSpan) -> Bool {
    guard isASCII else { return Self.text(field).lowercased().contains(folded) }
    guard let first = wanted.first else { return true }
    var start = 0
    while start + wanted.count <= field.byteCount {
      if Self.folded(field.byte(at: start)) == first, matches(field, at: start) { return true }
      start += 1
    }
    return false
  }

  /// Whether the text is the whole of a field.
  func isWhole(_ field: borrowing RawSpan) -> Bool {
    guard isASCII else { return Self.text(field).lowercased() == folded }
    return field.byteCount == wanted.count && matches(field, at: 0)
  }

  private func matches(_ field: borrowing RawSpan, at start: Int) -> Bool {
    for index in wanted.indices
    where Self.folded(field.byte(at: start + index)) != wanted[index] {
      return false
    }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  private static func text(_ bytes: borrowing RawSpan) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
