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

/// The statistics of the values of one path.
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

  /// A text that a path has.
  package struct ListedText: Sendable {
    /// The text as it is written in a document.
    package let text: [UInt8]
    /// The number of its values; nil if an earlier version has not counted them.
    package var count: Int?
  }

  /// The numbers, or the dates as seconds since the reference date.
  package struct Spread: Sendable {
    package var range: ClosedRange<Double>
    /// Nil if an earlier version has not counted them.
    package var histogram: NumberHistogram?
  }

  /// The number of records that have the path.
  package var records = 0
  package var tallies = InlineArray<7, Tally>(repeating: Tally())
  /// The shortest and the longest text, in bytes of UTF-8 as it is written in the document.
  package var textBytes: ClosedRange<Int>?
  /// The number of booleans that are true; nil if an earlier version has not counted them.
  package var trues: Int? = 0
  package var numbers: Spread?
  /// The dates, if all texts are dates and have been counted.
  package var dates: Spread?
  /// The distinct texts; nil if there are too many, or one is too long.
  package var values: [ListedText]? = []
  /// The formats of all texts so far.
  package var formats = TextFormats.all
  /// The place of the path among those that its lane saw first in the same record.
  private(set) var order = 0

  package init() {}

  /// - Parameter order: the place of the path among those of its lane.
  init(
    _ tally: feedscan_tally, _ numbers: feedscan_spread, _ texts: PathTexts, order: Int
  ) {
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
    trues = Int(clamping: tally.trues)
    self.numbers = Spread(numbers)
    dates = texts.dates
    values = texts.values.map { all in
      all.enumerated().map { ListedText(text: $1, count: texts.counts[$0]) }
    }
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

  /// Adds the statistics that another lane, or the feed to which records are added, has for the
  /// same path.
  package mutating func merge(_ other: PathNode) {
    if other.firstRecord < firstRecord { order = other.order }
    records = records.addingCount(other.records)
    for index in tallies.indices where other.tallies[index].count > 0 {
      let isFirst = tallies[index].count == 0 || other.tallies[index].first < tallies[index].first
      if isFirst { tallies[index].first = other.tallies[index].first }
      tallies[index].count = tallies[index].count.addingCount(other.tallies[index].count)
    }
    mergeDates(other)
    textBytes = textBytes.merged(with: other.textBytes) { $0.union($1) }
    trues = Self.sum(trues, other.trues)
    numbers = numbers.merged(with: other.numbers) { $0.union($1) }
    guard var all = values, let more = other.values else {
      values = nil
      return
    }
    for value in more {
      if let place = all.firstIndex(where: { $0.text == value.text }) {
        all[place].count = Self.sum(all[place].count, value.count)
      } else {
        all.append(value)
      }
    }
    values = all.count <= Self.maximumValues ? all : nil
  }

  /// Merges formats and dates, before ``textBytes`` are merged.
  private mutating func mergeDates(_ other: PathNode) {
    formats.formIntersection(other.formats)
    let areCounted =
      (dates != nil || textBytes == nil) && (other.dates != nil || other.textBytes == nil)
    dates =
      formats == .dateTime && areCounted
      ? dates.merged(with: other.dates) { $0.union($1) } : nil
  }

  private static func sum(_ first: Int?, _ second: Int?) -> Int? {
    guard let first, let second else { return nil }
    return first.addingCount(second)
  }

  /// Subtracts the counts of another node.
  mutating func subtract(_ other: PathNode) {
    records = max(records - other.records, 0)
    for index in tallies.indices {
      tallies[index].count = max(tallies[index].count - other.tallies[index].count, 0)
    }
    if let all = trues, let fewer = other.trues { trues = max(all - fewer, 0) }
    numbers?.subtract(other.numbers)
    dates?.subtract(other.dates)
    for value in other.values ?? [] {
      guard let place = values?.firstIndex(where: { $0.text == value.text }),
        let all = values?[place].count, let fewer = value.count
      else { continue }
      values?[place].count = max(all - fewer, 0)
    }
  }
}

extension PathNode.Spread {
  /// Nil if there is no number.
  fileprivate init?(_ spread: feedscan_spread) {
    guard spread.least <= spread.greatest else { return nil }
    range = spread.least...spread.greatest
    histogram = NumberHistogram(spread)
  }

  fileprivate func union(_ other: Self) -> Self {
    var all = Self(range: range.union(other.range))
    if let histogram, let more = other.histogram { all.histogram = histogram.union(more) }
    return all
  }

  fileprivate mutating func subtract(_ other: Self?) {
    guard let fewer = other?.histogram else { return }
    histogram?.subtract(fewer)
  }
}

extension ClosedRange {
  fileprivate func union(_ other: Self) -> Self {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}

extension Optional {
  /// The union of both, or the one that is not nil.
  fileprivate func merged(with other: Self, _ union: (Wrapped, Wrapped) -> Wrapped) -> Self {
    guard let first = self, let second = other else { return self ?? other }
    return union(first, second)
  }
}

extension Int {
  /// The maximum of a count, so that sums of a few counts fit into an `Int`.
  static let maximumCount = 1 << 53

  /// The sum of two counts. It is clamped, because a stored schema may have any count.
  func addingCount(_ other: Int) -> Int {
    let most = Self.maximumCount
    return Swift.min(Swift.min(self, most) + Swift.min(other, most), most)
  }
}
