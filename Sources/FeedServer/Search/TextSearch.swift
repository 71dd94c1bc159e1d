import FeedStorage
import Foundation
@_spi(Records) import JSONStream

/// Searches for a text in fields of records, ignoring case.
///
/// A field may have many megabytes. It is read in chunks, and the search stops when the task is
/// cancelled. That happens when the client has disconnected or the time limit has passed.
struct TextSearch: Sendable {
  /// The differences that a search ignores.
  enum Folding: Sendable {
    case cases
    case casesAndAccents
  }

  /// The maximum length of a search text, in characters.
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

  /// Whether a field contains the text.
  ///
  /// - Throws: `cancelled`
  func isPart(of field: borrowing RawSpan) throws(StoreError) -> Bool {
    var matched = 0
    try forEachChunk(of: field) { chunk in
      matched = wanted.matched(after: matched, in: chunk)
      return matched < wanted.count
    }
    return matched == wanted.count
  }

  /// Whether a field equals the text.
  ///
  /// - Throws: `cancelled`
  func isWhole(_ field: borrowing RawSpan) throws(StoreError) -> Bool {
    var count = 0
    var isEqual = true
    try forEachChunk(of: field) { chunk in
      isEqual = wanted.hasBytes(chunk, at: count)
      count += chunk.byteCount
      return isEqual
    }
    return isEqual && count == wanted.count
  }
}

extension TextSearch {
  /// The chunk sizes for bytes that are compared directly, and for text that is folded first.
  /// Folding can take quadratic time.
  private static let chunkBytes = (bare: 256 << 10, folded: 4 << 10)

  /// Calls `body` with the folded chunks of a field, until it returns false.
  private func forEachChunk(
    of field: borrowing RawSpan, _ body: (borrowing RawSpan) -> Bool
  ) throws(StoreError) {
    // ASCII letters are folded byte by byte, without a `String` per record.
    let isBare = isASCII && folding == .cases || Self.isASCII(field)
    var start = 0
    while start < field.byteCount {
      if start > 0, Task.isCancelled {
        throw StoreError(.cancelled, "the search was cancelled")
      }
      let limit = isBare ? Self.chunkBytes.bare : Self.chunkBytes.folded
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

  /// The characters of a part of a field. The last one is left to the next part if it may continue
  /// there.
  private static func characters(
    of field: borrowing RawSpan, _ start: Int, _ end: inout Int
  ) -> String {
    while end < field.byteCount, end > start + 1, field.byte(at: end) & 0xC0 == 0x80 { end -= 1 }
    var text = field.extracting(start..<end).withUnsafeBytes {
      String(decoding: $0, as: UTF8.self)
    }
    // A single character may be longer than a part.
    guard end < field.byteCount, let last = text.last, last.utf8.count < end - start else {
      return text
    }
    text.removeLast()
    end -= last.utf8.count
    return text
  }

  /// The form of a text that ignores the differences.
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
