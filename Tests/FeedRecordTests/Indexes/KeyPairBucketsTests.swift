@_spi(Ingest) import FeedRecord
import Testing

@Suite("Pairs that are collected in buckets") struct KeyPairBucketsTests {
  private func removeSorted(_ buckets: inout KeyPairBuckets) -> [KeyPair] {
    var pairs: [KeyPair] = []
    buckets.removeSorted { pairs.append(contentsOf: $0) }
    return pairs
  }

  /// Pairs whose hashes come from a generator, which is the same in each run.
  private func pairs(_ count: Int, hashes: UInt32) -> [KeyPair] {
    var state: UInt32 = 1
    return (0..<count).map { ordinal in
      state = state &* 1_664_525 &+ 1_013_904_223
      return KeyPair(hash: (state >> 8) % hashes &* 0x9E37_79B1, ordinal: UInt32(ordinal))
    }
  }

  @Test(
    "are returned in the order of their hashes, and equal hashes in the order of addition",
    arguments: [0, 1, 8_192, 8_193, 70_000], [1, 7, 1 << 16] as [UInt32])
  func order(count: Int, hashes: UInt32) {
    let pairs = pairs(count, hashes: hashes)
    var buckets = KeyPairBuckets(capacity: 30_000)
    for start in stride(from: 0, to: count, by: 999) {
      buckets.append(contentsOf: pairs[start..<min(start + 999, count)])
    }
    #expect(buckets.count == count)
    let sorted = pairs.sorted { ($0.hash, $0.ordinal) < ($1.hash, $1.ordinal) }
    #expect(removeSorted(&buckets) == sorted)
    #expect(buckets.count == 0)
  }

  @Test(
    "are removed when they are returned, and others can be added later", arguments: [10, 20_000])
  func removal(count: Int) {
    var buckets = KeyPairBuckets(capacity: 30_000)
    buckets.append(contentsOf: pairs(count, hashes: 1 << 16)[...])
    #expect(removeSorted(&buckets).count == count)
    #expect(removeSorted(&buckets) == [])
    let later = KeyPair(hash: 3, ordinal: 9)
    buckets.append(contentsOf: [later])
    #expect(removeSorted(&buckets) == [later])
  }
}
