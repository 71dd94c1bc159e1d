@_spi(Ingest) import FeedRecord
import Testing

@Suite("Hashes")
struct KeyHashTests {
  @Test("a key's hash is XXH3-64 with seed 0")
  func knownHashes() {
    #expect(KeyHash.hash([UInt8]().span.bytes) == 0x2D06_8005_38D3_94C2)
    #expect(KeyHash.hash("feed".utf8.span.bytes) == KeyHash.hash("feed".utf8.span.bytes))
    #expect(KeyHash.hash("feed".utf8.span.bytes) != KeyHash.hash("Feed".utf8.span.bytes))
  }

  @Test("a block's seed hashes the 20 little-endian bytes of its position")
  func seedBytes() {
    let bytes: [UInt8] = [
      8, 7, 6, 5, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22,
      0x21,
    ]
    let seed = BlockSeed.seed(
      environment: 0x0102_0304_0506_0708, segment: 0x1112_1314_1516_1718, number: 0x2122_2324)
    #expect(seed == KeyHash.hash(bytes.span.bytes))
  }

  @Test("a wide hash is XXH3-128 with seed 0, high half first")
  func wideHash() {
    let wanted: UInt128 = 0x99AA_06D3_0147_98D8_6001_C324_468D_497F
    #expect(KeyHash.wideHash([UInt8]().span.bytes) == wanted)
    #expect(KeyHash.wideHash("feed".utf8.span.bytes) != KeyHash.wideHash("Feed".utf8.span.bytes))
  }

  @Test(
    "bytes in chunks have the same checksum as all at once",
    arguments: [0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 5_000])
  func chunks(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    guard var checksum = ContentChecksum() else { throw CancellationError() }
    var offset = 0
    while offset < count {
      let end = min(count, offset + 97)
      checksum.add(bytes.span.bytes.extracting(offset..<end))
      offset = end
    }
    #expect(checksum.value == KeyHash.hash(bytes.span.bytes))
  }
}
