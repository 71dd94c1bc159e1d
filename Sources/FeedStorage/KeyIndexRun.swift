@_spi(Ingest) import FeedRecord
import LMDB

/// A sorted run of pairs that was spilled into blocks of the unfinished generation.
struct KeyIndexRun: Hashable, Sendable {
  let identifier: UInt32
  /// How many merges made it: runs of one level are about equally long.
  let level: Int
  let blockCount: UInt32
}

/// Reads a run from its begin to its end, with one block in memory, and deletes what it has read.
struct KeyIndexRunReader {
  private let run: KeyIndexRun
  private var number: UInt32 = 0
  private var pairs: [KeyPair] = []
  private var position = 0

  init(_ run: KeyIndexRun) {
    self.run = run
  }

  /// The pair to take next; nil at the end of the run.
  var pair: KeyPair? { position < pairs.count ? pairs[position] : nil }

  /// Moves to the next pair, loading the next block where one has been read.
  mutating func advance(
    _ tables: StoreTables, _ place: KeyIndexOutput.Place,
    _ transaction: inout WriteTransaction
  ) throws {
    position += 1
    if position >= pairs.count { try load(tables, place, &transaction) }
  }

  /// Loads the next block, if there is one.
  mutating func load(
    _ tables: StoreTables, _ place: KeyIndexOutput.Place,
    _ transaction: inout WriteTransaction
  ) throws {
    pairs.removeAll(keepingCapacity: true)
    position = 0
    guard number < run.blockCount else { return }
    let key = StoreKey.run(
      segment: place.segment, index: place.index, run: run.identifier, number: number)
    try read(tables, key.span.bytes, place, transaction)
    try transaction.delete(tables.index, key.span.bytes)
    number += 1
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
    pairs = view.pairs()
  }
}
