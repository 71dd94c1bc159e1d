import CFeedScan
@_spi(Records) import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A text that is searched for without regard to the case of letters.
///
/// Two texts are equal if their lowercase forms are (Unicode, section 3.13, default case
/// conversion).
package struct FoldedPattern: Sendable, Hashable {
  private let bytes: [UInt8]
  private let isASCII: Bool

  init(_ text: String) {
    let folded = Array(text.lowercased().utf8)
    bytes = folded
    isASCII = Self.isASCII(folded.span.bytes)
  }

  /// The text if a record that lacks it, and has neither an escape nor a character beyond ASCII,
  /// cannot match.
  var plain: [UInt8]? { isASCII ? bytes : nil }

  /// Whether a string of a JSON text contains this text.
  func isPart(of string: JSONCursor.Text, in text: RawSpan) -> Bool {
    let value = text.extracting(string.range)
    if !string.isEscaped, Self.isASCII(value) {
      return isASCII && ByteFinder.contains(value, bytes.span.bytes, folds: true)
    }
    let folded = Array(string.string(in: text).lowercased().utf8)
    return ByteFinder.contains(folded.span.bytes, bytes.span.bytes, folds: false)
  }

  static func isASCII(_ bytes: borrowing RawSpan) -> Bool {
    var place = 0
    while bytes.byteCount - place >= 8 {
      let word = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 != 0 { return false }
      place += 8
    }
    while place < bytes.byteCount {
      if bytes.byte(at: place) >= 0x80 { return false }
      place += 1
    }
    return true
  }
}

/// Finds bytes in other bytes.
enum ByteFinder {
  /// - Parameter folds: whether ASCII letters are equal in both cases
  static func contains(
    _ bytes: borrowing RawSpan, _ needle: borrowing RawSpan, folds: Bool
  ) -> Bool {
    let count = bytes.byteCount
    let length = needle.byteCount
    guard length > 0 else { return true }
    guard length <= count else { return false }
    // Both are valid for the call, and the kernel reads within their bounds.
    return bytes.withUnsafeBytes { bytes in
      needle.withUnsafeBytes { needle in
        guard let start = bytes.baseAddress, let wanted = needle.baseAddress else { return false }
        return feedscan_find(
          start.assumingMemoryBound(to: UInt8.self), count,
          wanted.assumingMemoryBound(to: UInt8.self), length, folds) < count
      }
    }
  }

  static func containsByte(_ bytes: borrowing RawSpan, _ byte: UInt8) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return memchr(start, CInt(byte), bytes.count) != nil
    }
  }
}
