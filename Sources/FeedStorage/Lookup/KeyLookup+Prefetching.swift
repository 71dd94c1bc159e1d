@_spi(Ingest) import FeedRecord
import LMDB

extension KeyLookup {
  /// The maximum number of lookups that are prefetched together.
  static var mostPrefetched: Int { 16 }

  /// Prefetches what lookups of several hashes will read. Each step is done for all hashes before
  /// the next, because the address of each step depends on the data of the previous one.
  ///
  /// Only cached locations are prefetched; nothing is verified or returned.
  func prefetch(_ hashes: Span<UInt64>, _ transaction: borrowing ReadTransaction) {
    let places = reader.places
    let count = min(hashes.count, Self.mostPrefetched)
    var ordinals = InlineArray<16, UInt64?>(repeating: nil)
    for index in 0..<count {
      places.prefetchIndexBlock(of: number, covering: indexHash(of: hashes[index]), transaction)
    }
    for index in 0..<count {
      let hash = indexHash(of: hashes[index])
      places.indexBlock(of: number, covering: hash, transaction)?.prefetch(around: hash)
    }
    for index in 0..<count {
      guard let ordinal = ordinal(indexHash(of: hashes[index]), transaction) else { continue }
      ordinals[index] = ordinal
      places.prefetchBlock(holding: ordinal, transaction)
    }
    for index in 0..<count {
      guard let ordinal = ordinals[index] else { continue }
      if let block = places.block(holding: ordinal, transaction) {
        block.prefetchStart(of: Int(clamping: ordinal &- block.firstOrdinal))
      }
    }
    for index in 0..<count {
      guard let ordinal = ordinals[index] else { continue }
      if let block = places.block(holding: ordinal, transaction) {
        block.prefetchRecord(at: Int(clamping: ordinal &- block.firstOrdinal))
      }
    }
  }

  private func indexHash(of keyHash: UInt64) -> UInt32 {
    KeyPair(keyHash: keyHash, ordinal: 0).hash
  }

  /// The first record whose key may have a hash.
  private func ordinal(_ hash: UInt32, _ transaction: borrowing ReadTransaction) -> UInt64? {
    guard let block = reader.places.indexBlock(of: number, covering: hash, transaction) else {
      return nil
    }
    let position = block.firstIndex(ofHashAtLeast: hash)
    guard (try? block.hash(at: position)) == hash else { return nil }
    return (try? block.ordinal(at: position)).map { UInt64($0) }
  }
}
