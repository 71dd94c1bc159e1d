@_spi(Records) import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The forms of texts that JSON Schema has a name for.
package struct TextFormats: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let uuid = TextFormats(rawValue: 1)
  package static let dateTime = TextFormats(rawValue: 2)
  package static let uri = TextFormats(rawValue: 4)
  package static let all: TextFormats = [.uuid, .dateTime, .uri]

  /// The formats among these that a text has.
  func filtered(by text: borrowing RawSpan) -> TextFormats {
    var formats = self
    if contains(.uuid), text.byteCount != 36 || UUIDText.parse(text) == nil {
      formats.remove(.uuid)
    }
    if contains(.dateTime), DateText.parse(text) == nil { formats.remove(.dateTime) }
    if contains(.uri), !URLText.isAbsolute(text) { formats.remove(.uri) }
    return formats
  }
}

/// The texts of one path: the distinct ones while there are few, and the formats of all samples.
struct PathTexts {
  /// The distinct texts; nil if there are too many, or one is too long.
  private(set) var values: [[UInt8]]? = []
  /// The short ones among these, which are compared without a reference count.
  private var shortValues = InlineArray<8, ShortText>(repeating: ShortText())
  private var shortValueCount = 0
  private(set) var formats = TextFormats.all

  /// Takes a text among the distinct ones, and tests the formats of a sample. Returns whether there
  /// is less to look at from now on.
  mutating func take(_ text: borrowing RawSpan, isEscaped: Bool, isSample: Bool) -> Bool {
    let (wasListed, before) = (values != nil, formats)
    if isEscaped {
      takeEscaped(text, isSample: isSample)
    } else {
      if wasListed { addValue(text) }
      if isSample { formats = formats.filtered(by: text) }
    }
    return (values != nil) != wasListed || formats != before
  }

  /// Takes a text by its characters, whichever of them have escapes.
  @inline(never)
  private mutating func takeEscaped(_ text: borrowing RawSpan, isSample: Bool) {
    let characters = JSONCursor.Text(0..<text.byteCount, isEscaped: true).decoded(in: text)
    if isSample { formats = formats.filtered(by: characters.span.bytes) }
    guard values != nil else { return }
    var literal: [UInt8] = []
    JSONText.appendString(characters.span.bytes, to: &literal)
    let written = Array(literal.dropFirst().dropLast())
    addOtherValue(written.span.bytes, written.withUnsafeBytes { ShortText($0) })
  }

  private mutating func addValue(_ text: borrowing RawSpan) {
    let short = text.withUnsafeBytes { ShortText($0) }
    if let short {
      for index in 0..<shortValueCount where shortValues[index] == short { return }
    }
    addOtherValue(text, short)
  }

  @inline(never)
  private mutating func addOtherValue(_ text: borrowing RawSpan, _ short: ShortText?) {
    guard let known = values, !known.contains(where: { Self.isEqual($0, text) }) else { return }
    guard known.count < PathNode.maximumValues, text.byteCount <= PathNode.maximumValueBytes
    else {
      values = nil
      return
    }
    values?.append(text.withUnsafeBytes { Array($0) })
    if let short {
      shortValues[shortValueCount] = short
      shortValueCount += 1
    }
  }

  private static func isEqual(_ known: [UInt8], _ text: borrowing RawSpan) -> Bool {
    guard known.count == text.byteCount else { return false }
    return text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return true }
      return memcmp(start, known, bytes.count) == 0
    }
  }
}
