/// Collects pairs for a sorted index and divides them by the first bits of their hashes.
///
/// Hashes are uniformly distributed, so each bucket is sorted in the fastest cache, and no second
/// copy of all pairs is needed. Sorting all pairs together costs several times as much, and happens
/// at the end, when no other work can overlap it.
@_spi(Ingest) public struct KeyPairBuckets: Sendable {
  /// Up to this number of pairs, dividing them is not worth the memory of the buckets.
  private static let undividedLimit = 1 << 13
  private static let bucketCount = 256
  /// The number of pairs in a chunk, the unit by which a bucket grows. The open chunks of all
  /// buckets fit into a cache.
  private static let chunk = 128

  /// All pairs, while there are few.
  private var undivided: [KeyPair] = []
  /// The full chunks of all buckets in one allocation. Many small allocations between others would
  /// keep the heap from shrinking.
  private var full: [KeyPair] = []
  /// For each full chunk the next one of its bucket; -1 for the last.
  private var next: [Int] = []
  /// The first and the last full chunk of each bucket; empty until the pairs are divided.
  private var chains: [(first: Int, last: Int)] = []
  /// The open chunks of all buckets, one after another.
  private var open: [KeyPair] = []
  /// The number of pairs in each open chunk.
  private var openCounts: [Int] = []
  private let capacity: Int
  package private(set) var count = 0

  /// - Parameter capacity: the number of pairs to reserve memory for once they are divided.
  package init(capacity: Int) { self.capacity = capacity }

  package mutating func append(contentsOf pairs: ArraySlice<KeyPair>) {
    count += pairs.count
    guard chains.isEmpty else { return divide(pairs) }
    undivided.append(contentsOf: pairs)
    guard undivided.count > Self.undividedLimit else { return }
    chains = Array(repeating: (-1, -1), count: Self.bucketCount)
    openCounts = Array(repeating: 0, count: Self.bucketCount)
    let empty = KeyPair(hash: 0, ordinal: 0)
    open = Array(repeating: empty, count: Self.bucketCount * Self.chunk)
    full.reserveCapacity(capacity)
    next.reserveCapacity(capacity / Self.chunk)
    divide(undivided[...])
    undivided = []
  }

  private mutating func divide(_ pairs: ArraySlice<KeyPair>) {
    for pair in pairs {
      let bucket = Int(pair.hash >> 24)
      let start = bucket * Self.chunk
      open[start + openCounts[bucket]] = pair
      openCounts[bucket] += 1
      guard openCounts[bucket] == Self.chunk else { continue }
      if chains[bucket].first < 0 {
        chains[bucket].first = next.count
      } else {
        next[chains[bucket].last] = next.count
      }
      chains[bucket].last = next.count
      next.append(-1)
      full.append(contentsOf: open[start..<start + Self.chunk])
      openCounts[bucket] = 0
    }
  }

  /// Passes all pairs to the body in order of hash and removes them. Pairs with the same hash keep
  /// the order in which they were added.
  package mutating func removeSorted<Failure: Error>(
    _ body: ([KeyPair]) throws(Failure) -> Void
  ) throws(Failure) {
    var pairs: [KeyPair] = []
    swap(&pairs, &undivided)
    count = 0
    pairs.sortByHash()
    try body(pairs)
    for bucket in chains.indices {
      pairs.removeAll(keepingCapacity: true)
      var chunk = chains[bucket].first
      while chunk >= 0 {
        pairs.append(contentsOf: full[chunk * Self.chunk..<(chunk + 1) * Self.chunk])
        chunk = next[chunk]
      }
      let start = bucket * Self.chunk
      pairs.append(contentsOf: open[start..<start + openCounts[bucket]])
      chains[bucket] = (-1, -1)
      openCounts[bucket] = 0
      pairs.sortByHash()
      try body(pairs)
    }
    full.removeAll(keepingCapacity: true)
    next.removeAll(keepingCapacity: true)
  }
}
