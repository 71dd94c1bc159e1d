import CFeedTools
import FeedSamples
import FeedStorage

/// Keys for lookups in random order, in contiguous memory.
struct LookupKeys {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [UInt32] = []

  init() {}

  /// The texts as keys, in the given order.
  init(_ texts: [String]) {
    for text in texts { append(ArraySlice(Array(text.utf8))) }
  }

  /// Keys of existing records, and the same number of missing keys. Each missing key is an existing
  /// key plus one byte, so it would be stored next to the existing one.
  ///
  /// - Throws: `misuse` if the peer has no record
  static func chosen(
    _ count: Int, from records: PeerRecords
  ) throws(StoreError) -> (existing: LookupKeys, missing: LookupKeys) {
    var (existing, missing) = (LookupKeys(), LookupKeys())
    let stored = records.entries.filter { $0.is_stored }
    guard !stored.isEmpty else {
      throw StoreError(.misuse, "the feed has no record whose key is its own")
    }
    var random = SplitMix64(seed: 1)
    for _ in 0..<count {
      let key = records.key(stored[random.index(below: stored.count)])
      existing.append(key)
      missing.append(key + [1])
    }
    return (existing, missing)
  }

  private mutating func append(_ key: ArraySlice<UInt8>) {
    bytes += key
    ends.append(UInt32(clamping: bytes.count))
  }

  /// Calls `body` with each key.
  func forEachKey<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    var start = 0
    for end in ends {
      try body(bytes.span.bytes.extracting(start..<Int(end)))
      start = Int(end)
    }
  }
}
