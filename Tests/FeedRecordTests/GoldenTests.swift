@_spi(Ingest) import FeedRecord
import Foundation
import Testing

/// The golden files fix the versions of the layout: they never change, and every later version of
/// this library must read them.
enum Golden: String, CaseIterable {
  case records = "records-v2.block"
  case wide = "wide-v2.block"
  case index = "index-v2.block"
  case oldRecords = "records-v1.block"
  case oldWide = "wide-v1.block"
  case oldIndex = "index-v1.block"

  /// The files of the versions that the current code writes.
  static let current: [Golden] = [.records, .wide, .index]

  static let seed = BlockSeed.seed(environment: 0xFEED_C04E, segment: 5, number: 2)

  static let wideRecord: [Value] = [
    .text("wide"), .integer(3), .list(["a", String(repeating: "0123456789", count: 6_600)]),
    .boolean(true), .null, .absent, .text("after"), .date((86_400.5).bitPattern), .absent, .null,
    .list([]), .absent, .number((2.5).bitPattern), .uuid(3, 4),
  ]

  func url() throws -> URL {
    try #require(
      Bundle.module.url(forResource: rawValue, withExtension: nil, subdirectory: "Golden"))
  }

  func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: url())) }

  /// The records of the golden block of records.
  static let allRecords: [[Value]] =
    SampleRecords.everyTypeRecords + [longRecord]

  /// A record with offsets of 16 bits in version 2 too.
  static let longRecord: [Value] = [
    .text(String(repeating: "long", count: 70)), .integer(2), .list(["x", "yz"]), .boolean(false),
    .null, .absent, .text("after"), .date((1.5).bitPattern), .absent, .null, .list([]), .absent,
    .number((-2.5).bitPattern), .uuid(5, 6),
  ]

  func rebuilt() throws -> [UInt8]? {
    let layout = try SampleRecords.everyType()
    return switch self {
    case .records:
      makeBlock(Self.allRecords, layout: layout, number: 2, firstOrdinal: 1_000, seed: Self.seed)
    case .wide:
      makeBlock([Self.wideRecord], layout: layout, number: 2, firstOrdinal: 1_000, seed: Self.seed)
    case .index: Self.rebuiltIndex()
    case .oldRecords, .oldWide, .oldIndex: nil
    }
  }

  private static func rebuiltIndex() -> [UInt8] {
    var builder = IndexBlockBuilder()
    for ordinal in 0..<20 as Range<UInt32> {
      builder.append(KeyPair(hash: 1_000 + (ordinal / 2) << 18, ordinal: 7 * ordinal))
    }
    return builder.seal(number: 2, lower: 999, upper: .max, seed: seed).bytes
  }
}

@Suite("Golden files")
struct GoldenTests {
  @Test("the current code writes the golden files byte for byte", arguments: Golden.current)
  func rebuilt(golden: Golden) throws {
    let (stored, rebuilt) = (try golden.bytes(), try golden.rebuilt())
    #expect(stored == rebuilt)
  }

  @Test(
    "the golden block of records is read",
    arguments: [
      (Golden.records, Golden.allRecords), (.oldRecords, SampleRecords.everyTypeRecords),
    ])
  func records(golden: Golden, expected: [[Value]]) throws {
    let layout = try SampleRecords.everyType()
    let bytes = try golden.bytes()
    let records = try readBlock(bytes, seed: Golden.seed, layout: layout)
    #expect(records == expected)
    let firstOrdinal = try BlockView(bytes.span.bytes).firstOrdinal
    #expect(firstOrdinal == 1_000)
  }

  @Test("the golden wide block is read", arguments: [Golden.wide, .oldWide])
  func wide(golden: Golden) throws {
    let layout = try SampleRecords.everyType()
    let bytes = try golden.bytes()
    #expect(try readBlock(bytes, seed: Golden.seed, layout: layout) == [Golden.wideRecord])
    let isWide = try BlockView(bytes.span.bytes).isWide
    #expect(isWide)
  }

  @Test(
    "records of version 1 are converted to the same records of the current version",
    arguments: [Golden.oldRecords, .oldWide])
  func copied(golden: Golden) throws {
    let layout = try SampleRecords.everyType()
    let bytes = try golden.bytes()
    let block = try BlockView(bytes.span.bytes)
    let isOld = block.isOld
    #expect(isOld)
    let sources = FieldSources(of: layout, in: layout)
    let expected = golden == .oldWide ? [Golden.wideRecord] : SampleRecords.everyTypeRecords
    for index in 0..<block.recordCount {
      var encoder = RecordEncoder(layout: layout)
      encoder.encode(expected[index])
      try encoder.append(copying: block.record(at: index), from: sources, keyHash: 9)
      let (written, copied) = (encoder.bytes(at: 0), encoder.bytes(at: 1))
      let areSame = written.hasSameBytes(as: copied)
      let (areWide, keyHash) = (
        (encoder.isWide(at: 0), encoder.isWide(at: 1)), encoder.keyHash(at: 1)
      )
      #expect(areSame && areWide.0 == areWide.1 && keyHash == 9)
    }
  }

  @Test("the golden index block is read")
  func index() throws {
    let bytes = try Golden.index.bytes()
    let view = try IndexBlockView(bytes.span.bytes)
    try view.verify(seed: Golden.seed)
    let (count, lower, upper) = (view.count, view.lower, view.upper)
    #expect(count == 20 && lower == 999 && upper == .max)
    let index = view.firstIndex(ofHashAtLeast: 1_000 + 3 << 18)
    #expect(try view.ordinal(at: index) == 42)
    #expect(try view.canBe(keyHash: (1_000 + 3 << 18) << 32 + 5, at: index))
  }

  @Test("the upper halves of the hashes of the golden index block of version 1 are read")
  func oldIndex() throws {
    let bytes = try Golden.oldIndex.bytes()
    let view = try IndexBlockView(bytes.span.bytes)
    try view.verify(seed: Golden.seed)
    // It contains each hash 1 000 + n << 50 twice.
    let (count, lower, upper, stored) = (view.count, view.lower, view.upper, view.storedHash)
    #expect(count == 20 && lower == 0 && upper == .max && stored == 1_000)
    #expect(view.pairs() == (0..<20).map { KeyPair(hash: ($0 / 2) << 18, ordinal: 7 * $0) })
    for pair in 0..<10 as Range<UInt32> {
      let index = view.firstIndex(ofHashAtLeast: pair << 18)
      #expect(index == 2 * Int(pair))
      #expect(try view.canBe(keyHash: 1_000 + UInt64(pair) << 50, at: index))
      #expect(try !view.canBe(keyHash: 1_001 + UInt64(pair) << 50, at: index))
    }
  }

  @Test(
    "every changed byte of a golden file is detected",
    arguments: [Golden.records, .oldRecords, .index, .oldIndex])
  func flips(golden: Golden) throws {
    let original = try golden.bytes()
    var missed: [Int] = []
    for offset in original.indices {
      for pattern in [0x01, 0x80, 0xFF, 0x24] as [UInt8] {
        var bytes = original
        bytes[offset] ^= pattern
        if golden.accepts(bytes) { missed.append(offset) }
      }
    }
    #expect(missed == [])
    #expect(golden.accepts(original))
  }

  @Test("changed bytes in all parts of the golden wide block are detected")
  func wideFlips() throws {
    let original = try Golden.wide.bytes()
    // Every byte of header, table and the record's head and tail, and every 61st between them.
    let tail = original.count - 200
    let offsets =
      Array(0..<400) + Array(stride(from: 400, to: tail, by: 61)) + Array(tail..<original.count)
    var bytes = original
    var missed: [Int] = []
    for offset in offsets {
      bytes[offset] ^= 0x10
      if Golden.wide.accepts(bytes) { missed.append(offset) }
      bytes[offset] ^= 0x10
    }
    #expect(missed == [])
    #expect(Golden.wide.accepts(bytes))
  }
}

extension Golden {
  /// Whether a view of the bytes can be created and verifies them.
  func accepts(_ bytes: [UInt8]) -> Bool {
    errorCode { () throws(RecordError) in
      switch self {
      case .records, .wide, .oldRecords, .oldWide:
        try BlockView(bytes.span.bytes).verify(seed: Self.seed)
      case .index, .oldIndex: try IndexBlockView(bytes.span.bytes).verify(seed: Self.seed)
      }
    } == nil
  }
}
