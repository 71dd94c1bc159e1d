@_spi(Records) package import JSONStream

/// A value by which records are sorted.
///
/// The order is that of jq: no value, `null`, `false`, `true`, numbers, strings, arrays, objects.
/// Numbers are compared exactly and strings by their code points. All arrays are equal, and so are all
/// objects.
package struct SortValue: Sendable, Hashable {
  private let rank: UInt8
  private let number: DecimalNumber?
  private let bytes: [UInt8]

  /// - Parameter range: where the value is in the text of its record; nil for no value
  package init(_ range: Range<Int>?, in text: RawSpan) {
    guard let range else {
      (rank, number, bytes) = (0, nil, [])
      return
    }
    let value = text.extracting(range)
    rank = Self.rank(value)
    switch rank {
    case Self.numberRank: (number, bytes) = (DecimalNumber(value), [])
    case Self.stringRank: (number, bytes) = (nil, Self.characters(value))
    default: (number, bytes) = (nil, [])
    }
  }

  /// The number of bytes that it holds.
  package var byteCount: Int { bytes.count }

  private static let numberRank: UInt8 = 4
  private static let stringRank: UInt8 = 5

  private static func rank(_ value: RawSpan) -> UInt8 {
    var cursor = JSONCursor(value)
    return switch cursor.nextKind() {
    case nil: 0
    case .null: 1
    case .false: 2
    case .true: 3
    case .number: numberRank
    case .string: stringRank
    case .array: 6
    case .object: 7
    }
  }

  private static func characters(_ value: RawSpan) -> [UInt8] {
    var cursor = JSONCursor(value)
    return cursor.nextString()?.decoded(in: value) ?? []
  }

  /// How a value of a record compares with this one: negative if it comes first. Allocates nothing
  /// for values that differ clearly.
  package func order(of range: Range<Int>?, in text: RawSpan) -> Int {
    guard let range else { return -Int(rank) }
    let value = text.extracting(range)
    let other = Self.rank(value)
    guard rank == other else { return Int(other) - Int(rank) }
    if let number { return number.order(of: value) }
    var cursor = JSONCursor(value)
    guard let string = cursor.nextString() else { return 0 }
    guard string.isEscaped else {
      return value.extracting(string.range).order(to: bytes.span.bytes)
    }
    return string.decoded(in: value).span.bytes.order(to: bytes.span.bytes)
  }

  /// How another value compares with this one.
  package func order(of other: SortValue) -> Int {
    guard rank == other.rank else { return Int(other.rank) - Int(rank) }
    if let number, let second = other.number { return second.order(to: number) }
    return other.bytes.span.bytes.order(to: bytes.span.bytes)
  }
}

/// A path by which records are sorted.
package struct SortKey: Sendable, Hashable {
  package let path: JSONPath
  package let isDescending: Bool

  /// Compiles a path; a minus sign before it reverses the order.
  ///
  /// - Throws: ``QueryError`` for a text that is not a path, and for a path with several values
  package init(_ text: String) throws(QueryError) {
    isDescending = text.utf8.first == UInt8(ascii: "-")
    path = try JSONPath(query: isDescending ? String(text.unicodeScalars.dropFirst()) : text)
    guard !path.hasAnyElement else {
      throw QueryError(text, "records are sorted by one value; name its index, as in [0]")
    }
  }

  /// The bytes of its value in a record; nil if the record has none.
  package func value(in text: RawSpan) -> Range<Int>? {
    // A path without `[]` has no fault.
    (try? path.find(in: text)) ?? nil
  }
}
