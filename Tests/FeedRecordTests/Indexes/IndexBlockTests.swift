@_spi(Ingest) import FeedRecord
import TestSupport
import Testing

@Suite("Index block")
struct IndexBlockTests {
  static let hashes: [UInt32] = [0, 5, 5, 5, 9, 1 << 31, .max]

  static func block(lower: UInt32?, upper: UInt32?) -> [UInt8] {
    var builder = IndexBlockBuilder()
    for (ordinal, hash) in hashes.enumerated() {
      builder.append(KeyPair(hash: hash, ordinal: UInt32(ordinal) + 100))
    }
    return builder.seal(number: 8, lower: lower, upper: upper, seed: 4).bytes
  }

  @Test("pairs and bounds are read as they were appended")
  func roundTrip() throws {
    let block = Self.block(lower: nil, upper: .max)
    let view = try IndexBlockView(block.span.bytes)
    try view.verify(seed: 4)
    let (count, number, lower, upper) = (view.count, view.number, view.lower, view.upper)
    #expect(count == 7)
    #expect(number == 8)
    #expect(lower == nil)
    #expect(upper == .max)
    for index in 0..<7 {
      #expect(try view.hash(at: index) == Self.hashes[index])
      #expect(try view.ordinal(at: index) == UInt32(index) + 100)
    }
    for index in [-1, 7, .max, .min] {
      let hash = errorCode { () throws(RecordError) in _ = try view.hash(at: index) }
      let ordinal = errorCode { () throws(RecordError) in _ = try view.ordinal(at: index) }
      #expect(hash == .outOfRange && ordinal == .outOfRange)
    }
  }

  @Test("a search finds the first pair whose hash is not smaller")
  func search() throws {
    let block = Self.block(lower: nil, upper: nil)
    let view = try IndexBlockView(block.span.bytes)
    for hash in [0, 1, 4, 5, 6, 9, 10, 1 << 31, (1 << 31) + 1, .max] as [UInt32] {
      let index = view.firstIndex(ofHashAtLeast: hash)
      #expect(index == Self.hashes.firstIndex { $0 >= hash } ?? 7)
    }
  }

  @Test(
    "a search is correct for every distribution of the hashes",
    arguments: [1, 2, 9, 100, IndexBlockBuilder.capacity()],
    [0...UInt32.max, 0...20, 7...7, (.max - 900)...UInt32.max, 1 << 20...1 << 21])
  func spread(_ count: Int, _ range: ClosedRange<UInt32>) throws {
    var random = SeededGenerator(seed: UInt64(count))
    // The last quarter is close together at the end.
    let hashes = (0..<count).map { index in
      index % 4 == 3 ? range.upperBound : UInt32.random(in: range, using: &random)
    }.sorted()
    for hasBounds in [false, true] {
      var builder = IndexBlockBuilder()
      for hash in hashes { builder.append(KeyPair(hash: hash, ordinal: 0)) }
      let block = builder.seal(
        number: 0, lower: hasBounds ? hashes.first : nil, upper: hasBounds ? hashes.last : nil,
        seed: 0
      ).bytes
      let view = try IndexBlockView(block.span.bytes)
      for _ in 0..<50 {
        let stored = hashes[Int.random(in: 0..<count, using: &random)]
        let other = UInt32.random(in: range, using: &random)
        for hash in [stored, stored &+ 1, stored &- 1, other, 0, .max] {
          let index = view.firstIndex(ofHashAtLeast: hash)
          #expect(index == hashes.firstIndex { $0 >= hash } ?? count)
        }
      }
    }
  }

  @Test("a block covers a miss only strictly between the bounds of its neighbours")
  func coversMiss() throws {
    let cases: [(UInt32?, UInt32?, UInt32, Bool)] = [
      (nil, nil, 0, true), (nil, nil, .max, true), (10, 20, 9, false), (10, 20, 10, false),
      (10, 20, 11, true), (10, 20, 19, true), (10, 20, 20, false), (10, 20, 21, false),
      (nil, 20, 0, true), (nil, 20, 20, false), (10, nil, 10, false), (10, nil, .max, true),
    ]
    for (lower, upper, hash, expected) in cases {
      var builder = IndexBlockBuilder()
      builder.append(KeyPair(hash: 15, ordinal: 0))
      let block = builder.seal(number: 0, lower: lower, upper: upper, seed: 0).bytes
      let covers = try IndexBlockView(block.span.bytes).coversMiss(of: hash)
      #expect(covers == expected)
    }
  }

  @Test("a full block has at most the target size, and another pair would exceed it")
  func capacity() throws {
    var builder = IndexBlockBuilder()
    while builder.remainingCapacity > 0 {
      let ordinal = UInt32(builder.count)
      builder.append(KeyPair(hash: ordinal * 3, ordinal: ordinal))
    }
    #expect(builder.count == IndexBlockBuilder.capacity())
    #expect(builder.firstHash == 0)
    #expect(builder.lastHash == UInt32(IndexBlockBuilder.capacity() - 1) * 3)
    let block = builder.seal(number: 0, lower: nil, upper: nil, seed: 0).bytes
    #expect(block.count <= 65_520 && block.count + 8 > 65_520)
    #expect(builder.count == 0)
    let view = try IndexBlockView(block.span.bytes)
    for hash in stride(from: UInt32(0), to: 24_000, by: 7) {
      let index = view.firstIndex(ofHashAtLeast: hash)
      #expect(index == Int((hash + 2) / 3))
    }
  }

  @Test("an empty block is valid")
  func empty() throws {
    var builder = IndexBlockBuilder()
    #expect(builder.firstHash == nil)
    let block = builder.seal(number: 0, lower: nil, upper: nil, seed: 1).bytes
    let view = try IndexBlockView(block.span.bytes)
    try view.verify(seed: 1)
    let index = view.firstIndex(ofHashAtLeast: 5)
    #expect(index == 0)
  }

  @Test("sorting keeps the order of pairs with the same hash")
  func sorting() throws {
    var random = SeededGenerator(seed: 3)
    for count in [0, 1, 2, 5_000] {
      // From no bit to all of them: every possible number of sorting passes.
      for width in [0, 1, 2, 11, 12, 22, 23, 32] {
        let spread = UInt32.max >> UInt32(32 - width)
        let base = UInt32.random(in: 0...(.max - spread), using: &random)
        var pairs = (0..<count).map {
          KeyPair(
            hash: .random(in: base...(base + spread), using: &random), ordinal: UInt32($0))
        }
        let expected = pairs.sorted { ($0.hash, $0.ordinal) < ($1.hash, $1.ordinal) }
        pairs.sortByHash()
        #expect(pairs == expected)
      }
    }
  }
}
