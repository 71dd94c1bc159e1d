@_spi(Ingest) import FeedRecord

/// The positions of records by the hashes of their bytes, for keys that very many records of a feed
/// share.
///
/// Scanning all records of a key for each added record takes quadratic time. One more scan of such a
/// key collects the positions, and a hash then finds each record.
struct RepeatedRecords {
  struct Place: Hashable {
    var segment: Int
    var ordinal: UInt64
  }

  /// The positions of the records of one key.
  struct Places {
    // A record is one number that begins with 28 bits of its hash. Among four million records, one
    // lookup in 64 meets another record with the same bits and compares it in vain.
    private static let segmentBits: UInt64 = 4
    private static let ordinalBits: UInt64 = 32
    private static let hashMask = ~UInt64(0) << (segmentBits + ordinalBits)

    fileprivate var numbers: [UInt64] = []
    private let capacity: Int
    /// False if a record was skipped because there is no space for it.
    private(set) var isComplete = true

    fileprivate init(capacity: Int) { self.capacity = capacity }

    mutating func add(_ record: RawSpan, at place: Place) {
      guard numbers.count < capacity, place.segment < 1 << Self.segmentBits,
        place.ordinal < 1 << Self.ordinalBits
      else {
        isComplete = false
        return
      }
      let segment = UInt64(place.segment) << Self.ordinalBits
      numbers.append(KeyHash.hash(record) & Self.hashMask | segment | place.ordinal)
    }

    /// The positions of records whose bytes may be these. The numbers must be sorted.
    fileprivate func places(of record: RawSpan) -> some Sequence<Place> {
      let hash = KeyHash.hash(record) & Self.hashMask
      return numbers[firstIndex(atOrAbove: hash)...].lazy
        .prefix { $0 & Self.hashMask == hash }
        .map { number in
          let place = number & ~Self.hashMask
          return Place(
            segment: Int(place >> Self.ordinalBits),
            ordinal: place & ((1 << Self.ordinalBits) - 1))
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

  private var placesByKey: [UInt64: Places] = [:]
  private var room: Int

  /// - Parameter capacity: the maximum number of cached positions
  init(capacity: Int = Self.capacity) { room = capacity }

  /// Whether more positions can be cached.
  var hasRoom: Bool { room > 0 }

  /// Whether the positions of all records of a key are cached.
  func hasRecords(keyHash: UInt64) -> Bool { placesByKey[keyHash] != nil }

  /// The positions of a cached key's records whose bytes may be these.
  func places(of record: RawSpan, keyHash: UInt64) -> some Sequence<Place> {
    (placesByKey[keyHash] ?? Places(capacity: 0)).places(of: record)
  }

  /// Creates an empty collection of positions for a key.
  func makePlaces() -> Places { Places(capacity: room) }

  /// Caches the positions of all records of a key; if there are too many, nothing more is cached.
  mutating func keep(_ places: consuming Places, keyHash: UInt64) {
    guard places.isComplete else {
      room = 0
      return
    }
    places.numbers.sort()
    room -= places.numbers.count
    placesByKey[keyHash] = places
  }
}
