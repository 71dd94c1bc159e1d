@_spi(Ingest) import FeedRecord

/// Where the records of keys stand that very many records of a feed have, by hashes of their bytes.
///
/// To look through all records of a key for each that is added takes time in the square of their
/// number. A key that had so many is looked through once more, and then each record by its hash.
struct RepeatedRecords {
  struct Place {
    var segment: Int
    var ordinal: UInt64
  }

  /// So many records are compared one by one before a key is worth its places.
  static let manyRecords = 64
  /// What is kept takes some 60 MB at most; keys beyond it are looked through.
  private static let capacity = 1 << 20

  private var placesByHash: [UInt64: Place] = [:]
  private var keyHashes: Set<UInt64> = []

  /// False where nothing more can be kept.
  private(set) var hasRoom = true

  /// Whether all records of a key are known.
  func hasRecords(keyHash: UInt64) -> Bool { keyHashes.contains(keyHash) }

  /// Where the first record stands whose bytes have the hash of these.
  func place(of record: RawSpan) -> Place? { placesByHash[KeyHash.hash(record)] }

  /// Adds a record of a key that is not known yet.
  mutating func add(_ record: RawSpan, at place: Place) {
    let hash = KeyHash.hash(record)
    if placesByHash[hash] != nil { return }
    hasRoom = placesByHash.count < Self.capacity
    if hasRoom { placesByHash[hash] = place }
  }

  /// Says that all records of a key were added, as long as there was room.
  mutating func finish(keyHash: UInt64) {
    if hasRoom { keyHashes.insert(keyHash) }
  }
}
