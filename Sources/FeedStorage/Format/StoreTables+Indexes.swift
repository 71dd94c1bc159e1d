@_spi(Ingest) import FeedRecord
import LMDB

// Changes of the finished indexes of a segment that no reader sees yet.
extension StoreTables {
  /// Removes the blocks of an index.
  func removeIndex(
    _ index: UInt8, of segment: UInt64, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    let first = StoreKey.index(segment: segment, index: index, hash: 0, number: 0)
    do throws(LMDBError) {
      try transaction.deleteEntries(in: self.index, from: first.span.bytes) { key, _ in
        key.byteCount == 21 && key.bigEndian(at: 0, as: UInt64.self) == segment
          && key.bigEndian(at: 8, as: UInt8.self) == index
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Writes the only block of an index without pairs.
  func writeEmptyIndex(
    _ index: UInt8, of segment: UInt64, _ transaction: inout WriteTransaction
  ) throws(StoreError) -> IndexResult {
    var output = KeyIndexOutput(self, IndexID(segment: segment, index: index), .index)
    output.finish()
    try store(output.takeChanges(), &transaction)
    return IndexResult(output)
  }

  /// Gives an index another number, which no index of the segment has. Its blocks are written again,
  /// since their checksums depend on the number.
  func moveIndex(
    _ index: UInt8, to number: UInt8, of segment: UInt64, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    var output = KeyIndexOutput(self, IndexID(segment: segment, index: number), .index)
    var next = StoreKey.index(segment: segment, index: index, hash: 0, number: 0)
    while true {
      let found = try transaction.reading { view throws(StoreError) in
        try block(of: index, segment: segment, from: next.span.bytes, view)
      }
      guard let found else { break }
      output.append(contentsOf: found.pairs)
      try store(output.takeChanges(), &transaction)
      next = StoreKey.index(
        segment: segment, index: index, hash: found.hash, number: found.number + 1)
    }
    output.finish()
    try store(output.takeChanges(), &transaction)
    try removeIndex(index, of: segment, &transaction)
  }

  private func store(
    _ changes: KeyIndexChanges, _ transaction: inout WriteTransaction
  ) throws(StoreError) {
    do throws(LMDBError) { try changes.write(&transaction) } catch { throw StoreError(error) }
  }

  /// The first block of an index at or after a key.
  private func block(
    of index: UInt8, segment: UInt64, from key: RawSpan,
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> (pairs: [KeyPair], hash: UInt32, number: UInt32)? {
    do {
      var cursor = try transaction.cursor(self.index)
      guard try cursor.seek(atOrAfter: key), cursor.key.byteCount == 21,
        cursor.key.bigEndian(at: 0, as: UInt64.self) == segment,
        cursor.key.bigEndian(at: 8, as: UInt8.self) == index
      else { return nil }
      let view = try IndexBlockView(cursor.value)
      try view.verify(seed: seed(segment: segment, index: index, number: view.number))
      return (view.pairs(), view.count > 0 ? try view.hash(at: 0) : 0, view.number)
    } catch {
      throw StoreError(wrapping: error, path: environment.path)
    }
  }
}
