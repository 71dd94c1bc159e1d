@_spi(Records) import JSONStream

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The JSON types that statistics distinguish.
package enum ValueType: Int, CaseIterable, Sendable {
  case null, boolean, integer, number, string, array, object

  /// The name in JSON Schema.
  package var name: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

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

/// What is known about the values of one path.
package struct PathNode: Sendable {
  /// The maximum number of distinct texts that are listed.
  static let maximumValues = 8
  /// Longer texts are not listed.
  static let maximumValueBytes = 64

  /// The values of one type.
  package struct Tally: Sendable {
    package var count = 0
    /// The index in its document of the first record with such a value.
    package var first = 0
  }

  /// The number of records that have the path.
  package var records = 0
  /// The record that was counted last.
  private var lastRecord = -1
  package var tallies = InlineArray<7, Tally>(repeating: Tally())
  /// The shortest and the longest text, in bytes of UTF-8 as it is written in the document.
  package var textBytes: ClosedRange<Int>?
  package var numbers: ClosedRange<Double>?
  /// The distinct texts; nil if there are too many, or one is too long.
  package var values: [[UInt8]]? = []
  /// The short ones among these, which are compared without a reference count.
  private var shortValues = InlineArray<8, ShortText>(repeating: ShortText())
  private var shortValueCount = 0
  /// The formats of all texts so far.
  package var formats = TextFormats.all
  /// The field of the document's schema with this path; -1 if there is none.
  var field: Int16 = -1
  /// The rule of a contract for the path; -1 if there is none.
  var rule: Int16 = -1

  /// The place of the path among those that its lane saw first in the same record.
  private(set) var order = 0

  package init(order: Int = 0) { self.order = order }

  mutating func place(at order: Int) { self.order = order }

  /// The index of the first record with the path.
  package var firstRecord: Int {
    var first = Int.max
    for index in tallies.indices where tallies[index].count > 0 {
      first = min(first, tallies[index].first)
    }
    return first
  }

  /// The number of values of all types.
  package var valueCount: Int {
    var count = 0
    for index in tallies.indices { count += tallies[index].count }
    return count
  }

  package func tally(_ type: ValueType) -> Tally { tallies[type.rawValue] }

  @inline(__always)
  mutating func count(_ type: ValueType, record: Int) {
    if lastRecord != record {
      lastRecord = record
      records &+= 1
    }
    if tallies[type.rawValue].count == 0 { tallies[type.rawValue].first = record }
    tallies[type.rawValue].count &+= 1
  }

  @inline(__always)
  mutating func count(text: borrowing RawSpan, isEscaped: Bool, record: Int) {
    count(.string, record: record)
    let bytes = text.byteCount
    if let known = textBytes {
      if bytes < known.lowerBound { textBytes = bytes...known.upperBound }
      if bytes > known.upperBound { textBytes = known.lowerBound...bytes }
    } else {
      textBytes = bytes...bytes
    }
    let isTested = !formats.isEmpty && isSampled
    if isEscaped {
      if values != nil || isTested { countEscaped(text, isTested: isTested) }
      return
    }
    if values != nil { addValue(text) }
    if isTested { formats = formats.filtered(by: text) }
  }

  /// Whether the formats of the value counted last are tested: that of all of the first ones, and of a
  /// part of the others. A format is an annotation, and its test costs as much as all other counts.
  private var isSampled: Bool {
    let count = tallies[ValueType.string.rawValue].count
    return count <= 4096 || count & 15 == 0
  }

  @inline(__always)
  mutating func count(number digits: borrowing RawSpan, record: Int) {
    count(KeyText.isCanonical(digits) ? .integer : .number, record: record)
    guard let value = NumberText.number(digits) else { return }
    if let known = numbers {
      if value < known.lowerBound { numbers = value...known.upperBound }
      if value > known.upperBound { numbers = known.lowerBound...value }
    } else {
      numbers = value...value
    }
  }

  /// Takes a text by its characters, whichever of them have escapes.
  @inline(never)
  private mutating func countEscaped(_ text: borrowing RawSpan, isTested: Bool) {
    let characters = JSONCursor.Text(0..<text.byteCount, isEscaped: true).decoded(in: text)
    if isTested { formats = formats.filtered(by: characters.span.bytes) }
    guard values != nil else { return }
    var literal: [UInt8] = []
    JSONText.appendString(characters.span.bytes, to: &literal)
    let written = Array(literal.dropFirst().dropLast())
    addOtherValue(written.span.bytes, ShortText(written.span.bytes))
  }

  @inline(__always)
  private mutating func addValue(_ text: borrowing RawSpan) {
    let short = ShortText(text)
    if let short {
      for index in 0..<shortValueCount where shortValues[index] == short { return }
    }
    addOtherValue(text, short)
  }

  @inline(never)
  private mutating func addOtherValue(_ text: borrowing RawSpan, _ short: ShortText?) {
    guard let known = values, !known.contains(where: { Self.isEqual($0, text) }) else { return }
    guard known.count < Self.maximumValues, text.byteCount <= Self.maximumValueBytes else {
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

  /// Adds what another lane, or a feed that is added to, knows about the same path.
  package mutating func merge(_ other: PathNode) {
    if other.firstRecord < firstRecord { order = other.order }
    records += other.records
    for index in tallies.indices where other.tallies[index].count > 0 {
      let isFirst = tallies[index].count == 0 || other.tallies[index].first < tallies[index].first
      if isFirst { tallies[index].first = other.tallies[index].first }
      tallies[index].count += other.tallies[index].count
    }
    textBytes = Self.union(textBytes, other.textBytes)
    numbers = Self.union(numbers, other.numbers)
    formats.formIntersection(other.formats)
    guard let known = values, let more = other.values else {
      values = nil
      return
    }
    let all = known + more.filter { !known.contains($0) }
    values = all.count <= Self.maximumValues ? all : nil
  }

  private static func union<Bound: Comparable>(
    _ first: ClosedRange<Bound>?, _ second: ClosedRange<Bound>?
  ) -> ClosedRange<Bound>? {
    guard let first, let second else { return first ?? second }
    return min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
  }
}

/// A text of at most 16 bytes: its length, and its first and last bytes, which may overlap.
private struct ShortText: Equatable, Sendable {
  private var count = 0
  private var start: UInt64 = 0
  private var end: UInt64 = 0

  init() {}

  /// Nil if the text is longer.
  @inline(__always)
  init?(_ text: borrowing RawSpan) {
    count = text.byteCount
    switch count {
    case 8...16:
      start = text.unsafeLoadUnaligned(as: UInt64.self)
      end = text.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    case 4..<8:
      start = UInt64(text.unsafeLoadUnaligned(as: UInt32.self))
      end = UInt64(text.unsafeLoadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    case 1..<4:
      start = UInt64(text.byte(at: 0)) << 8 | UInt64(text.byte(at: count / 2))
      end = UInt64(text.byte(at: count - 1))
    case 0: break
    default: return nil
    }
  }
}
