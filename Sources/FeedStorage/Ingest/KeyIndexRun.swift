@_spi(Ingest) import FeedRecord
import LMDB

/// A sorted run of pairs, spilled into blocks of the unfinished generation.
struct KeyIndexRun: Hashable, Sendable {
  let identifier: UInt32
  /// The number of merges that produced it: runs of one level have about the same length.
  let level: Int
  let blockCount: UInt32
}

/// Reads a run sequentially, with at most two blocks in memory, and deletes what it has read. It
/// can also return pairs that were never spilled.
struct KeyIndexRunReader {
  private static let blockPairs = IndexBlockBuilder.capacity(byteCount: StoreFormat.runBlockBytes)

  private let identifier: UInt32
  private let blockCount: UInt32
  private var number: UInt32 = 0
  private var pairs: [KeyPair] = []
  private var position = 0

  init(_ run: KeyIndexRun) {
    identifier = run.identifier
    blockCount = run.blockCount
  }

  /// - Parameter pairs: sorted, and all in memory
  init(_ pairs: consuming [KeyPair]) {
    identifier = 0
    blockCount = 0
    self.pairs = pairs
  }

  /// The hash of the last pair in memory if more pairs follow; nil once all have been loaded.
  var lastLoadedHash: UInt32? { number < blockCount ? pairs.last?.hash : nil }

  /// Loads the next block if less than half a block is left.
  mutating func fill(
    _ tables: StoreTables, _ place: KeyIndexOutput.Place,
    _ transaction: inout WriteTransaction
  ) throws {
    while number < blockCount, pairs.count - position < Self.blockPairs / 2 {
      pairs.removeFirst(position)
      position = 0
      let key = StoreKey.run(
        segment: place.segment, index: place.index, run: identifier, number: number)
      try read(tables, key.span.bytes, place, transaction)
      try transaction.delete(tables.index, key.span.bytes)
      number += 1
    }
  }

  /// Passes the pairs in memory whose hashes are below `bound`.
  mutating func take(below bound: UInt64, into batch: inout [KeyPair]) {
    let rest = pairs[position...]
    let end = rest.firstIndex { $0.hash >= bound } ?? rest.endIndex
    batch.append(contentsOf: rest[..<end])
    position = end
  }

  private mutating func read(
    _ tables: StoreTables, _ key: RawSpan, _ place: KeyIndexOutput.Place,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard let bytes = try transaction.get(tables.index, key) else {
      throw StoreError(.damaged, "a part of an unfinished index is missing; ingest again")
    }
    let view = try IndexBlockView(bytes)
    try view.verify(
      seed: tables.seed(segment: place.segment, index: place.index, number: number))
    pairs.append(contentsOf: view.pairs())
  }
}
