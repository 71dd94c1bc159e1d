import FeedSchema
import FeedStorage
import Foundation
import JSONStream
import TestSupport
import Testing

@Suite("The counts of values in the schema of documents")
struct ValueCountTests {
  private typealias Counts = [String: Int]

  private func node(_ path: [String], of feed: Feed) throws -> PathNode {
    let statistics = try #require(DocumentStatistics(schemaText: feed.description.schemaText))
    return try #require(statistics.root.branch(at: path)).node
  }

  /// The count of each bin, from a comparison of all numbers with its bounds.
  private func naiveCounts(_ numbers: [Double], in histogram: NumberHistogram) -> [Int] {
    histogram.counts.indices.map { bin in
      let low = histogram.lowerBound + Double(bin) * histogram.width
      return numbers.count { low <= $0 && $0 < low + histogram.width }
    }
  }

  @Test("booleans and few distinct texts are counted, even with escapes", arguments: [1, 2, 4])
  func choices(lanes: Int) throws {
    let types = ["Push", "Fo\\u0072k", "Fork", "", "a much longer name of a type of events"]
    let lines = (0..<3000).map { number in
      #"{"id":\#(number),"type":"\#(types[number % 7 % 5])","open":\#(number % 3 == 0)}"#
    }
    let feed = try DocumentStore(inMemory: true).ingest(lines.joined(separator: "\n")) {
      $0.parsing.lanes = lanes
    }
    let type = try #require(feed.facets.first { $0.path == "type" })
    let counts = Counts(uniqueKeysWithValues: type.texts.map { ($0.text, $0.count ?? -1) })
    var expected: Counts = [:]
    for number in 0..<3000 {
      expected[types[number % 7 % 5].replacing("\\u0072", with: "r"), default: 0] += 1
    }
    #expect(counts == expected)
    #expect(type.texts.compactMap(\.count) == expected.values.sorted(by: >))
    let open = try #require(feed.facets.first { $0.path == "open" })
    #expect(open.trues == 1000 && open.booleans == 3000)
  }

  /// Numbers of several magnitudes.
  private static let scales: [@Sendable (inout SeededGenerator) -> [Double]] = [
    { random in (0..<500).map { _ in Double(Int.random(in: -40...1000, using: &random)) } },
    { random in (0..<500).map { _ in Double.random(in: 0...1, using: &random) } + [0, 1] },
    { random in
      let powers = (0..<300).map { _ in
        Double(
          sign: Bool.random(using: &random) ? .minus : .plus,
          exponent: Int.random(in: -1000...1000, using: &random), significand: 1.25)
      }
      return powers + [0, 1e-320, -1e307, 1e307]
    },
    { _ in [7, 7, 7] },
    { _ in [0, 1e-300, 3e-300] },
    { _ in [-1, 0] },
  ]

  @Test("each bin has the numbers between its bounds", arguments: scales.indices)
  func numbers(scale: Int) throws {
    var random = SeededGenerator(seed: UInt64(scale))
    let numbers = Self.scales[scale](&random)
    let text = numbers.map { #"{"v":\#($0)}"# }.joined(separator: "\n")
    let feed = try DocumentStore(inMemory: true).ingest(text)
    let spread = try #require(try node(["v"], of: feed).numbers)
    let histogram = try #require(spread.histogram)
    #expect(histogram.counts == naiveCounts(numbers, in: histogram))
    #expect(histogram.counts.reduce(0, +) == numbers.count)
    #expect(spread.range == numbers.min().flatMap { low in numbers.max().map { low...$0 } })
    let bars = try #require(histogram.merged(toAtMost: 5))
    #expect(bars.counts.count <= 5 && bars.counts == naiveCounts(numbers, in: bars))
    let fewest = try #require(histogram.merged(toAtMost: 1))
    #expect(fewest.counts.count <= 2 && fewest.counts == naiveCounts(numbers, in: fewest))
  }

  @Test("a number of any length and spelling has its value and its type", arguments: [false, true])
  func spellings(isNegative: Bool) throws {
    let sign = isNegative ? "-" : ""
    let wholes = (1...18).flatMap { length in
      ["1000000000000000000", "987654321987654321"].map { String($0.prefix(length)) }
    }
    let decimals = [1, 2, 7, 8, 9].flatMap { whole in
      [1, 2, 6, 7, 8, 9, 14].map { behind in
        "\("987654321".prefix(whole)).\("314159265358979".prefix(behind))"
      }
    }
    let others =
      decimals + ["0.1", "0.3", "0.000001", "1.0", "1e3", "1.5e-3", "1234567890123456.5E2"]
    let store = try DocumentStore(inMemory: true)
    for text in wholes + others {
      let number = sign + text
      let node = try node(["v"], of: store.ingest(#"[{"v":\#(number)}]"#))
      let value = try #require(Double(number))
      #expect(node.numbers?.range == value...value, "\(number)")
      let isWhole = wholes.contains(text)
      #expect(node.tally(isWhole ? .integer : .number).count == 1, "\(number)")
    }
  }

  @Test("the bins do not depend on the order of the numbers, on lanes, or on appends")
  func order() throws {
    var random = SeededGenerator(seed: 11)
    for scale in Self.scales {
      let numbers = scale(&random)
      let lines = { (numbers: [Double]) in
        numbers.map { #"{"v":\#($0)}"# }.joined(separator: "\n")
      }
      let store = try DocumentStore(inMemory: true)
      let expected = try node(["v"], of: store.ingest(lines(numbers))).numbers?.histogram
      let shuffled = numbers.shuffled(using: &random)
      let inLanes = try store.ingest(lines(shuffled)) { $0.parsing.lanes = 3 }
      #expect(try node(["v"], of: inLanes).numbers?.histogram == expected)
      let half = shuffled.count / 2
      try store.ingest(lines(Array(shuffled[..<half])), into: "parts")
      let parts = try store.ingest(lines(Array(shuffled[half...])), into: "parts") {
        $0.appends = true
      }
      #expect(try node(["v"], of: parts).numbers?.histogram == expected)
    }
  }

  @Test("numbers have no bins if a bin would end beyond the largest number")
  func greatest() throws {
    let store = try DocumentStore(inMemory: true)
    let low = try node(["v"], of: store.ingest(#"[{"v":-1.7e308}]"#)).numbers
    #expect(low?.range == -1.7e308 ... -1.7e308)
    let both = try store.ingest(#"[{"v":1.7e308}]"#) { $0.appends = true }
    let numbers = try node(["v"], of: both).numbers
    #expect(numbers?.range == -1.7e308...1.7e308)
    #expect(numbers.map { $0.histogram == nil } == true)
  }

  @Test("dates are counted by their instants, in any time zone")
  func dates() throws {
    let instants = (0..<2500).map { Double($0 * $0 * 40) }
    let texts = instants.enumerated().map { number, instant in
      // The same instant in UTC, or an hour to the east.
      let date = Date(timeIntervalSinceReferenceDate: instant + (number % 2 == 0 ? 0 : 3600))
      let text = date.ISO8601Format().replacing("Z", with: number % 2 == 0 ? "Z" : "+01:00")
      return number % 100 == 0 ? text.replacing("T", with: "\\u0054") : text
    }
    let lines = texts.map { #"{"at":"\#($0)"}"# }
    let store = try DocumentStore(inMemory: true)
    let feed = try store.ingest(lines.joined(separator: "\n"))
    let dates = try #require(try node(["at"], of: feed).dates)
    let histogram = try #require(dates.histogram)
    #expect(histogram.counts == naiveCounts(instants, in: histogram))
    #expect(dates.range == 0...2499 * 2499 * 40)
    let text = String(decoding: feed.description.schemaText, as: UTF8.self)
    #expect(text.contains(#""dates":{"earliest":"2001-01-01T00:00:00Z","latest":""#))
    // With one other text at the end, the field has no dates.
    let mixed = try store.ingest((lines + [#"{"at":"soon"}"#]).joined(separator: "\n"))
    #expect(try node(["at"], of: mixed).dates == nil)
    #expect(try node(["at"], of: mixed).formats == [])
  }

  @Test("dates next to nulls are counted, even after an append")
  func datesWithNulls() throws {
    let store = try DocumentStore(inMemory: true)
    try store.ingest(#"[{"at":"2025-01-01T00:00:00Z"},{"at":null}]"#)
    let feed = try store.ingest(#"[{"at":"2025-01-03T00:00:00Z"}]"#) { $0.appends = true }
    let dates = try #require(try node(["at"], of: feed).dates)
    #expect(dates.range.upperBound - dates.range.lowerBound == 2 * 86_400)
    #expect(dates.histogram?.counts.reduce(0, +) == 2)
    #expect(feed.facets.contains { $0.path == "at" && $0.isDate && $0.nulls == 1 })
  }

  @Test("the bins of dates near 2001 are read from the stored schema")
  func narrowDates() throws {
    let store = try DocumentStore(inMemory: true)
    for date in ["2005-01-01T00:00:01Z", "2001-01-01T00:00:00.001Z", "1999-12-31T23:59:59Z"] {
      let feed = try store.ingest(#"[{"at":"\#(date)"},{"at":"\#(date)"}]"#)
      #expect(try node(["at"], of: feed).dates?.histogram?.counts == [2])
    }
  }

  @Test("sums of the greatest counts do not overflow")
  func greatestCounts() throws {
    let members = (0..<600).map { #""k\#($0)":{"n":\#($0),"b":true}"# }.joined(separator: ",")
    let feed = try DocumentStore(inMemory: true).ingest("[{\(members)}]")
    let most = String(1 << 53)
    let hostile = String(decoding: feed.description.schemaText, as: UTF8.self)
      .replacing(/"(count|true)":[0-9]+/) { "\"\($0.output.1)\":\(most)" }
      .replacing(/"counts":\[[0-9,]+\]/, with: "\"counts\":[\(most),\(most)]")
    let whole = try #require(DocumentStatistics(schemaText: Array(hostile.utf8)))
    var sum = whole
    for _ in 0..<4 { sum.merge(whole) }
    #expect(sum.records == 1 << 53)
    let numbers = try #require(sum.root.members.first?.branch["n"]?.node)
    #expect(numbers.records == 1 << 53)
    #expect(numbers.numbers?.histogram?.counts.max() == 1 << 53)
  }

  @Test("a schema without counts is read, and a merge adds none")
  func earlierVersion() throws {
    let lines = (0..<100).map { number in
      #"{"t":"\#(number % 2)","b":true,"n":\#(number),"d":"2026-01-01T00:00:00Z"}"#
    }
    let feed = try DocumentStore(inMemory: true).ingest(lines.joined(separator: "\n"))
    let whole = String(decoding: feed.description.schemaText, as: UTF8.self)
    let without = whole.replacing(/,"histogram":\{[^}]*\}/, with: "")
      .replacing(/,"dates":\{[^}]*\}/, with: "").replacing(/,"true":[0-9]+/, with: "")
      .replacing(/,"enum":\[[0-9,]+\]/, with: "")
    var earlier = try #require(DocumentStatistics(schemaText: Array(without.utf8)))
    earlier.merge(try #require(DocumentStatistics(schemaText: Array(whole.utf8))))
    #expect(earlier.root["t"]?.node.values?.map(\.count) == [nil, nil])
    #expect(earlier.root["b"]?.node.trues == .some(nil))
    #expect(earlier.root["n"]?.node.numbers?.range == 0...99)
    #expect(earlier.root["n"]?.node.numbers.map { $0.histogram == nil } == true)
    #expect(earlier.root["d"]?.node.formats == .dateTime)
    #expect(earlier.root["d"]?.node.dates.map { _ in true } == nil)
  }

  @Test(
    "bins that no numbers can produce are not read",
    arguments: [
      #"{"from":0,"width":3,"counts":[1]}"#, #"{"from":0.5,"width":1,"counts":[1]}"#,
      #"{"from":0,"width":0,"counts":[1]}"#, #"{"from":0,"width":-1,"counts":[1]}"#,
      #"{"from":0,"width":1,"counts":[]}"#, #"{"from":1e300,"width":1,"counts":[1]}"#,
      #"{"from":0,"width":1e-320,"counts":[1]}"#, #"{"width":1,"counts":[1]}"#,
    ])
  func hostileBins(bins: String) throws {
    let feed = try DocumentStore(inMemory: true).ingest(#"[{"n":1},{"n":2}]"#)
    let text = String(decoding: feed.description.schemaText, as: UTF8.self)
    let hostile = text.replacing(/"histogram":\{[^}]*\}/, with: "\"histogram\":\(bins)")
    #expect(hostile != text)
    let statistics = try #require(DocumentStatistics(schemaText: Array(hostile.utf8)))
    #expect(statistics.root["n"]?.node.numbers?.range == 1...2)
    #expect(statistics.root["n"]?.node.numbers?.histogram == nil)
  }
}
