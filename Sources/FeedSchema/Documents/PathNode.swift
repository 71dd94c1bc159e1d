import CFeedScan

/// The JSON types that statistics distinguish.
package enum ValueType: Int, CaseIterable, Sendable {
  // In the order of `FEEDSCAN_TYPE_NULL` and those after it.
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
  package var tallies = InlineArray<7, Tally>(repeating: Tally())
  /// The shortest and the longest text, in bytes of UTF-8 as it is written in the document.
  package var textBytes: ClosedRange<Int>?
  package var numbers: ClosedRange<Double>?
  /// The distinct texts; nil if there are too many, or one is too long.
  package var values: [[UInt8]]? = []
  /// The formats of all texts so far.
  package var formats = TextFormats.all
  /// The place of the path among those that its lane saw first in the same record.
  private(set) var order = 0

  package init() {}

  /// - Parameter order: the place of the path among those of its lane.
  init(_ tally: feedscan_tally, _ texts: PathTexts, order: Int) {
    records = Int(clamping: tally.records)
    withUnsafeBytes(of: tally.counts) { counts in
      withUnsafeBytes(of: tally.first_records) { firstRecords in
        for type in ValueType.allCases {
          let offset = type.rawValue * MemoryLayout<UInt64>.stride
          tallies[type.rawValue] = Tally(
            count: Int(clamping: counts.load(fromByteOffset: offset, as: UInt64.self)),
            first: Int(clamping: firstRecords.load(fromByteOffset: offset, as: UInt64.self)))
        }
      }
    }
    if self.tally(.string).count > 0 {
      textBytes = Int(tally.shortest)...Int(tally.longest)
    }
    if tally.least <= tally.greatest { numbers = tally.least...tally.greatest }
    values = texts.values
    formats = texts.formats
    self.order = order
  }

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

  /// Takes counts away.
  mutating func subtract(_ other: PathNode) {
    records = max(records - other.records, 0)
    for index in tallies.indices {
      tallies[index].count = max(tallies[index].count - other.tallies[index].count, 0)
    }
  }

  private static func union<Bound: Comparable>(
    _ first: ClosedRange<Bound>?, _ second: ClosedRange<Bound>?
  ) -> ClosedRange<Bound>? {
    guard let first, let second else { return first ?? second }
    return min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
  }
}
