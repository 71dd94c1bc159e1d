@_spi(Records) import JSONStream

/// A value that a condition compares with.
///
/// Without quotes it is a number, `true`, `false` or `null` if it looks like one, and also the
/// string of these characters. In quotes it is a string only. Double quotes have the escapes of
/// JSON. In single quotes, two single quotes mean one, as in SQL.
package struct QueryLiteral: Sendable, Hashable {
  /// The UTF-8 of its characters.
  package private(set) var bytes: [UInt8]
  /// The number, if it may be one.
  package let number: DecimalNumber?
  /// Seconds since the reference date, if it is a date with a time.
  package let instant: Double?
  private let keyword: JSONCursor.Kind?

  /// Whether it equals `null`.
  package var mayBeNull: Bool { keyword == .null }

  /// - Throws: ``QueryError`` for a string whose quotes are not those of JSON, and for one without quotes
  ///   that begins like an operator
  package init(_ text: String) throws(QueryError) {
    let isQuoted = text.utf8.first == 0x22 || text.utf8.first == 0x27
    let written = Array(text.utf8)
    if let first = written.first, "=!<>~".utf8.contains(first) {
      throw QueryError(
        text,
        "the operators are \(QueryCondition.operators); a value that begins like one is"
          + " written in quotes")
    }
    let bytes = isQuoted ? try Self.unquoted(written, text) : written
    self.bytes = bytes
    let span = written.span.bytes
    number = !isQuoted && DecimalNumber.isNumber(span) ? DecimalNumber(span) : nil
    instant = DateText.parse(bytes.span.bytes)
    keyword =
      switch text {
      case "true": .true
      case "false": .false
      case "null": .null
      default: nil
      }
  }

  private static func unquoted(
    _ written: [UInt8], _ text: String
  ) throws(QueryError) -> [UInt8] {
    if written.first == 0x27 {
      guard let bytes = singleUnquoted(written) else {
        throw QueryError(
          text,
          "a value in single quotes ends with a single quote; write '' for a quote in it, as in 'it''s'"
        )
      }
      return bytes
    }
    var cursor = JSONCursor(written.span.bytes)
    guard let string = cursor.nextString(), cursor.position == written.count else {
      throw QueryError(text, "a value in double quotes is a string of JSON, as in \"a \\\"b\\\"\"")
    }
    return string.decoded(in: written.span.bytes)
  }

  /// The same value in upper case, as UUIDs are written.
  package func uppercased() -> QueryLiteral {
    var literal = self
    literal.bytes = Array(String(decoding: bytes, as: UTF8.self).uppercased().utf8)
    return literal
  }

  /// The bytes between single quotes; nil if one of them is a quote that is not doubled.
  private static func singleUnquoted(_ written: [UInt8]) -> [UInt8]? {
    guard written.count > 1, written.last == 0x27 else { return nil }
    var bytes: [UInt8] = []
    var isPair = false
    for byte in written.dropFirst().dropLast() {
      if byte == 0x27, !isPair {
        isPair = true
        continue
      }
      guard isPair == (byte == 0x27) else { return nil }
      isPair = false
      bytes.append(byte)
    }
    return isPair ? nil : bytes
  }

  /// The bytes under which an index may have the value. If there are several, their order has no
  /// meaning.
  package var keys: [[UInt8]] {
    guard number != nil else { return [bytes] }
    var key: [UInt8] = []
    KeyText.append(bytes.span.bytes, to: &key)
    return key == bytes ? [bytes] : [key, bytes]
  }

  /// Whether a scalar of a JSON text has this value.
  func equals(_ value: JSONCursor.Kind, _ bytes: RawSpan) -> Bool {
    switch value {
    case .string:
      var cursor = JSONCursor(bytes)
      guard let string = cursor.nextString() else { return false }
      if string.equals(self.bytes, in: bytes) { return true }
      return instant.map { $0 == Self.instant(string, bytes) } ?? false
    case .number: return number.map { $0.order(of: bytes) == 0 } ?? false
    case .true, .false, .null: return keyword == value
    case .object, .array: return false
    }
  }

  /// How a scalar of a JSON text compares with this value: negative if it comes first. Nil if it has
  /// another type.
  func order(of value: JSONCursor.Kind, _ bytes: RawSpan) -> Int? {
    switch value {
    case .number: return number?.order(of: bytes)
    case .string where number == nil:
      var cursor = JSONCursor(bytes)
      guard let string = cursor.nextString() else { return nil }
      if let instant, let other = Self.instant(string, bytes) {
        return other < instant ? -1 : other > instant ? 1 : 0
      }
      guard string.isEscaped else {
        return bytes.extracting(string.range).order(to: self.bytes.span.bytes)
      }
      return string.decoded(in: bytes).span.bytes.order(to: self.bytes.span.bytes)
    default: return nil
    }
  }

  private static func instant(_ string: JSONCursor.Text, _ bytes: RawSpan) -> Double? {
    guard !string.isEscaped else { return nil }
    return DateText.parse(bytes.extracting(string.range))
  }
}

extension RawSpan {
  /// How these bytes compare with others: negative if they come first. UTF-8 then has the order of
  /// its code points.
  func order(to other: borrowing RawSpan) -> Int {
    let count = Swift.min(byteCount, other.byteCount)
    for place in 0..<count where byte(at: place) != other.byte(at: place) {
      return byte(at: place) < other.byte(at: place) ? -1 : 1
    }
    return byteCount - other.byteCount
  }
}
