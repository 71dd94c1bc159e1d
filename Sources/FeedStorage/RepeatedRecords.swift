@_spi(Ingest) import FeedRecord

/// Where the records of keys stand that very many records of a feed have, by hashes of their bytes.
///
/// To look through all records of a key for each that is added takes time in the square of their
/// number. A key that had so many is looked through once more, and then each record by its hash.
struct RepeatedRecords {
  struct Place: Hashable {
    var segment: Int
    var ordinal: UInt64
  }

  /// The places of the records of one key.
  struct Places {
    // A record is one number, in which 28 bits of its hash come first: among four million one in 64
    // is met that shares these, and compared in vain.
    private static let segmentBits: UInt64 = 4
    private static let ordinalBits: UInt64 = 32
    private static let hashMask = ~UInt64(0) << (segmentBits + ordinalBits)

    fileprivate var numbers: [UInt64] = []
    private let capacity: Int
    /// False where a record was not taken, since there is no room for it.
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

    /// The places of records whose bytes may be these; they are sorted.
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

  /// So many records are compared one by one before a key is worth its places.
  static let manyRecords = 64
  /// Records of all keys whose places are kept, in 32 MB, and half as much beside it while that
  /// grows; keys beyond it are looked through.
  private static let capacity = 1 << 22

  private var placesByKey: [UInt64: Places] = [:]
  private var room: Int

  /// - Parameter capacity: records whose places are kept
  init(capacity: Int = Self.capacity) { room = capacity }

  /// False where nothing more can be kept.
  var hasRoom: Bool { room > 0 }

  /// Whether all records of a key are known.
  func hasRecords(keyHash: UInt64) -> Bool { placesByKey[keyHash] != nil }

  /// Where the records of a known key stand whose bytes may be these.
  func places(of record: RawSpan, keyHash: UInt64) -> some Sequence<Place> {
    (placesByKey[keyHash] ?? Places(capacity: 0)).places(of: record)
  }

  /// None yet, of a key that is to become known.
  func makePlaces() -> Places { Places(capacity: room) }

  /// Takes the places of all records of a key; where these are too many, it is the last one.
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
