@_spi(Ingest) import FeedRecord
import LMDB

extension KeyLookup {
  /// So many look-ups at most are prepared at once.
  static var mostPrefetched: Int { 16 }

  /// Has the processor fetch what look-ups by some hashes will read, of all of them at once: each
  /// step is taken for all before the next one, as where that reads is said by what this one has.
  ///
  /// Only what is known to lie somewhere is fetched; nothing is proved or told.
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
