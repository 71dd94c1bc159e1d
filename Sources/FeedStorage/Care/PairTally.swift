@_spi(Ingest) import FeedRecord

/// A checksum of a set of pairs that does not depend on their order.
///
/// Two tallies that are equal are those of the same pairs, up to a chance of one in 2^64: so an
/// index is compared with its records without holding either in memory.
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
