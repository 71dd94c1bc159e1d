@_spi(Ingest) import FeedRecord

/// The positions of records by the hashes of their bytes, for keys that very many records of a feed
/// share.
///
/// Scanning all records of a key for each added record takes quadratic time. One more scan of such a
/// key collects the positions, and a hash then finds each record.
struct RepeatedRecords {
  struct RecordLocation: Hashable {
    var segment: Int
    var ordinal: UInt64
  }

  /// The positions of the records of one key.
  struct KeyLocations {
    // A record is one number that begins with 28 bits of its hash. Among four million records, one
    // lookup in 64 also finds another record with the same bits and compares it.
    private static let segmentBits: UInt64 = 4
    private static let ordinalBits: UInt64 = 32
    private static let hashMask = ~UInt64(0) << (segmentBits + ordinalBits)

    fileprivate var numbers: [UInt64] = []
    private let capacity: Int
    /// False if a record was skipped because there is no space for it.
    private(set) var isComplete = true

    fileprivate init(capacity: Int) { self.capacity = capacity }

    mutating func add(_ record: RawSpan, at location: RecordLocation) {
      guard numbers.count < capacity, location.segment < 1 << Self.segmentBits,
        location.ordinal < 1 << Self.ordinalBits
      else {
        isComplete = false
        return
      }
      let segment = UInt64(location.segment) << Self.ordinalBits
      numbers.append(KeyHash.hash(record) & Self.hashMask | segment | location.ordinal)
    }

    /// The positions of records whose bytes may be these. The numbers must be sorted.
    fileprivate func locations(of record: RawSpan) -> some Sequence<RecordLocation> {
      let hash = KeyHash.hash(record) & Self.hashMask
      return numbers[firstIndex(atOrAbove: hash)...].lazy
        .prefix { $0 & Self.hashMask == hash }
        .map { number in
          let location = number & ~Self.hashMask
          return RecordLocation(
            segment: Int(location >> Self.ordinalBits),
            ordinal: location & ((1 << Self.ordinalBits) - 1))
        }
    }

    private func firstIndex(atOrAbove number: UInt64) -> Int {
      var range = numbers.indices
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range =
          numbers[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound
    }
  }

  /// The number of comparisons after which the positions of a key's records are cached.
  static let manyRecords = 64
  /// The maximum number of cached positions over all keys. They take 32 MB, and half as much in
  /// addition while the array grows. Records of further keys are scanned.
  private static let capacity = 1 << 22

  private var locationsByKey: [UInt64: KeyLocations] = [:]
  private var remaining: Int

  /// - Parameter capacity: the maximum number of cached positions
  init(capacity: Int = Self.capacity) { remaining = capacity }

  /// Whether more positions can be cached.
  var hasSpace: Bool { remaining > 0 }

  /// Whether the positions of all records of a key are cached.
  func hasRecords(keyHash: UInt64) -> Bool { locationsByKey[keyHash] != nil }

  /// The positions of a cached key's records whose bytes may be these.
  func locations(of record: RawSpan, keyHash: UInt64) -> some Sequence<RecordLocation> {
    (locationsByKey[keyHash] ?? KeyLocations(capacity: 0)).locations(of: record)
  }

  /// Creates an empty collection of positions for a key.
  func makeLocations() -> KeyLocations { KeyLocations(capacity: remaining) }

  /// Caches the positions of all records of a key; if there are too many, nothing more is cached.
  mutating func insert(_ locations: consuming KeyLocations, keyHash: UInt64) {
    guard locations.isComplete else {
      remaining = 0
      return
    }
    locations.numbers.sort()
    remaining -= locations.numbers.count
    locationsByKey[keyHash] = locations
  }
}
