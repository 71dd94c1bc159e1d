/// Pairs on their way into a sorted index, divided by the first bits of their hashes as they come.
///
/// Hashes are spread evenly, so each bucket is sorted in the fastest cache, and no second copy of all
/// pairs is made for that. To sort all pairs together costs several times as much, in the end, when
/// nothing else is left to be done.
@_spi(Ingest) public struct KeyPairBuckets: Sendable {
  /// So many pairs are not worth the memory of buckets.
  private static let undividedLimit = 1 << 13
  private static let bucketCount = 256
  /// Pairs of a chunk, the memory in which a bucket grows. The open chunks of all buckets fit into a
  /// cache.
  private static let chunk = 128

  /// All pairs, while these are few.
  private var undivided: [KeyPair] = []
  /// The full chunks of all buckets, in one piece of memory: small pieces between those of others would
  /// keep a heap from shrinking.
  private var full: [KeyPair] = []
  /// For each full chunk the next one of its bucket, -1 behind the last.
  private var next: [Int] = []
  /// The first and the last full chunk of each bucket; empty while the pairs are not divided.
  private var chains: [(first: Int, last: Int)] = []
  /// The open chunks of all buckets, one after another.
  private var open: [KeyPair] = []
  /// How many pairs are in each open chunk.
  private var openCounts: [Int] = []
  private let capacity: Int
  package private(set) var count = 0

  /// - Parameter capacity: for how many pairs memory is reserved once they are many.
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

  /// Gives all pairs in the order of their hashes, those of one hash in the order in which they came,
  /// and drops them.
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
