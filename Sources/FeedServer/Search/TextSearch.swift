import FeedStorage
import Foundation
@_spi(Records) import JSONStream

/// Looks for a text in fields of records, whatever the case of its letters.
///
/// A field may be of many megabytes: it is looked at in pieces, and no further once the task is
/// cancelled, as it is when its client has gone or its time is over.
struct TextSearch: Sendable {
  /// What is the same to a search.
  enum Folding: Sendable {
    case cases
    case casesAndAccents
  }

  /// The longest text that is looked for, in characters.
  static let limit = 200

  private let folding: Folding
  private let wanted: ByteSearch
  private let isASCII: Bool

  init(_ text: String, folding: Folding = .cases) {
    self.folding = folding
    let folded = Self.folded(text, folding)
    wanted = ByteSearch(folded.utf8)
    isASCII = folded.utf8.allSatisfy { $0 < 0x80 }
  }

  /// Whether the text is somewhere in a field.
  ///
  /// - Throws: `cancelled`
  func isPart(of field: borrowing RawSpan) throws(StoreError) -> Bool {
    var matched = 0
    try forEachPiece(of: field) { piece in
      matched = wanted.matched(after: matched, in: piece)
      return matched < wanted.count
    }
    return matched == wanted.count
  }

  /// Whether the text is the whole of a field.
  ///
  /// - Throws: `cancelled`
  func isWhole(_ field: borrowing RawSpan) throws(StoreError) -> Bool {
    var count = 0
    var isEqual = true
    try forEachPiece(of: field) { piece in
      isEqual = wanted.hasBytes(piece, at: count)
      count += piece.byteCount
      return isEqual
    }
    return isEqual && count == wanted.count
  }
}

extension TextSearch {
  /// As many bytes are looked at at once: those that are looked at as they are, and those that are
  /// folded first, which takes time in the square of some of them.
  private static let pieceBytes = (bare: 256 << 10, folded: 4 << 10)

  /// Calls `body` with a field, folded, piece by piece, until it returns false.
  private func forEachPiece(
    of field: borrowing RawSpan, _ body: (borrowing RawSpan) -> Bool
  ) throws(StoreError) {
    // Letters of ASCII fold byte by byte, without a `String` a record.
    let isBare = isASCII && folding == .cases || Self.isASCII(field)
    var start = 0
    while start < field.byteCount {
      if start > 0, Task.isCancelled {
        throw StoreError(.cancelled, "nobody waits for what is looked for")
      }
      let limit = isBare ? Self.pieceBytes.bare : Self.pieceBytes.folded
      var end = min(start + limit, field.byteCount)
      if isBare {
        guard body(field.extracting(start..<end)) else { return }
      } else {
        let text = Self.characters(of: field, start, &end)
        let bytes = Array(Self.folded(text, folding).utf8)
        guard body(bytes.span.bytes) else { return }
      }
      start = end
    }
  }

  /// The characters of a part of a field; the last one is left to the next part where it may go on
  /// there.
  private static func characters(
    of field: borrowing RawSpan, _ start: Int, _ end: inout Int
  ) -> String {
    while end < field.byteCount, end > start + 1, field.byte(at: end) & 0xC0 == 0x80 { end -= 1 }
    var text = field.extracting(start..<end).withUnsafeBytes {
      String(decoding: $0, as: UTF8.self)
    }
    // A single one may be longer than a part.
    guard end < field.byteCount, let last = text.last, last.utf8.count < end - start else {
      return text
    }
    text.removeLast()
    end -= last.utf8.count
    return text
  }

  /// A text as all that are the same to a search.
  private static func folded(_ text: String, _ folding: Folding) -> String {
    switch folding {
    case .cases: text.lowercased().precomposedStringWithCanonicalMapping
    case .casesAndAccents:
      text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        .precomposedStringWithCanonicalMapping
    }
  }

  private static func isASCII(_ bytes: borrowing RawSpan) -> Bool {
    for index in 0..<bytes.byteCount where bytes.byte(at: index) >= 0x80 { return false }
    return true
  }
}
