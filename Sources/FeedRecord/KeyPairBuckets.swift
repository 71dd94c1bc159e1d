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
  /// The full chunks of each bucket; empty while the pairs are not divided.
  private var chunks: [[[KeyPair]]] = []
  /// The open chunks of all buckets, one after another.
  private var open: [KeyPair] = []
  /// How many pairs are in each open chunk.
  private var openCounts: [Int] = []
  package private(set) var count = 0

  package init() {}

  package mutating func append(contentsOf pairs: ArraySlice<KeyPair>) {
    count += pairs.count
    guard chunks.isEmpty else { return divide(pairs) }
    undivided.append(contentsOf: pairs)
    guard undivided.count > Self.undividedLimit else { return }
    chunks = Array(repeating: [], count: Self.bucketCount)
    openCounts = Array(repeating: 0, count: Self.bucketCount)
    let empty = KeyPair(hash: 0, ordinal: 0)
    open = Array(repeating: empty, count: Self.bucketCount * Self.chunk)
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
      chunks[bucket].append(Array(open[start..<start + Self.chunk]))
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
    for bucket in chunks.indices {
      pairs.removeAll(keepingCapacity: true)
      for chunk in chunks[bucket] { pairs.append(contentsOf: chunk) }
      let start = bucket * Self.chunk
      pairs.append(contentsOf: open[start..<start + openCounts[bucket]])
      chunks[bucket] = []
      openCounts[bucket] = 0
      pairs.sortByHash()
      try body(pairs)
    }
  }
}
