@_spi(Ingest) import FeedRecord
import LMDB

/// Pairs that are gathered in the order of their records and taken in that of their hashes.
///
/// They are parted by the first bits of their hashes as they come. What is left for the end, when
/// no lane has work any more, is to sort arrays that each fit a processor's cache, in which the
/// memory of one sort serves the next.
struct KeyPairBuckets {
  private static let bits = 8
  /// Fewer pairs than this are sorted faster all at once.
  private static let partedCount = 1 << 16

  private(set) var count = 0
  private var buckets = [[KeyPair]](repeating: [], count: 1 << bits)

  var isEmpty: Bool { count == 0 }

  /// Adds pairs behind those of the same hash.
  mutating func append(contentsOf pairs: ArraySlice<KeyPair>) {
    var ends = [Int](repeating: 0, count: buckets.count)
    for pair in pairs { ends[Self.bucket(of: pair)] += 1 }
    var sum = 0
    for bucket in ends.indices { (ends[bucket], sum) = (sum, sum + ends[bucket]) }
    var parted = [KeyPair](repeating: KeyPair(hash: 0, ordinal: 0), count: pairs.count)
    for pair in pairs {
      let bucket = Self.bucket(of: pair)
      parted[ends[bucket]] = pair
      ends[bucket] += 1
    }
    var start = 0
    for (bucket, end) in ends.enumerated() where end > start {
      buckets[bucket].append(contentsOf: parted[start..<end])
      start = end
    }
    count += pairs.count
  }

  private static func bucket(of pair: KeyPair) -> Int {
    Int(truncatingIfNeeded: pair.hash >> UInt32(UInt32.bitWidth - bits))
  }

  /// Gives all pairs by hash, those of one hash in the order in which they came, and forgets them.
  mutating func takeSorted(
    keepingCapacity: Bool, _ body: ([KeyPair]) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    defer { count = 0 }
    guard count >= Self.partedCount else {
      var all: [KeyPair] = []
      all.reserveCapacity(count)
      for index in buckets.indices {
        all += buckets[index]
        buckets[index].removeAll(keepingCapacity: keepingCapacity)
      }
      all.sortByHash()
      return try body(all)
    }
    for index in buckets.indices {
      var bucket: [KeyPair] = []
      swap(&bucket, &buckets[index])
      bucket.sortByHash()
      try body(bucket)
      guard keepingCapacity else { continue }
      bucket.removeAll(keepingCapacity: true)
      swap(&bucket, &buckets[index])
    }
  }
}
