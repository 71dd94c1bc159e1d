@_spi(Ingest) import FeedRecord

/// A checksum of a set of pairs that does not depend on their order.
///
/// Equal tallies mean equal pairs, except with a probability of 1 in 2^64. An index is thus
/// compared with its records without holding either in memory.
struct PairTally: Equatable {
  private var count = 0
  private var sum: UInt64 = 0
  private var squares: UInt64 = 0

  mutating func add(_ pair: KeyPair) {
    let bytes = StoreKey.number(UInt64(pair.hash) << 32 | UInt64(pair.ordinal))
    let mixed = KeyHash.hash(bytes.span.bytes)
    count += 1
    sum &+= mixed
    squares &+= mixed &* mixed
  }
}
