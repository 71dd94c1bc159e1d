@_spi(Ingest) import FeedRecord
import LMDB

/// Merges sorted runs into one, a bounded number of blocks at a time.
///
/// A batch takes the mergeable pairs of all runs in memory and sorts them. Hashes are uniformly
/// distributed, so a batch has about a block of each run. A radix sort costs the same for each
/// pair, while comparing the heads of the runs would cost more with more runs.
struct KeyIndexMerge: ~Copyable {
  private let tables: StoreTables
  private let indexID: IndexID
  private var readers: [KeyIndexRunReader]
  private var output: KeyIndexOutput
  private var batch: [KeyPair] = []

  /// - Parameters:
  ///   - runs: in the order of their ordinals, which decides between equal hashes
  ///   - rest: sorted pairs, whose ordinals follow those of the runs
  init(
    _ tables: StoreTables, _ indexID: IndexID, _ runs: [KeyIndexRun],
    _ rest: consuming [KeyPair] = [], to destination: KeyIndexOutput.Destination
  ) {
    self.tables = tables
    self.indexID = indexID
    readers = runs.map { KeyIndexRunReader($0) } + [KeyIndexRunReader(rest)]
    output = KeyIndexOutput(tables, indexID, destination)
  }

  /// The blocks until now.
  var result: IndexResult { IndexResult(output) }

  /// Continues until at least this number of bytes is to be written.
  ///
  /// - Parameter transaction: sees the blocks of the runs that were not read yet.
  /// - Returns: the changes to be stored, and whether the merge is done.
  mutating func step(
    bytes: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> (changes: KeyIndexChanges, isDone: Bool) {
    let end = output.byteCount + bytes
    var read: [(run: UInt32, number: UInt32)] = []
    var isDone = false
    while !isDone, output.byteCount < end {
      for index in readers.indices {
        try readers[index].fill(tables, indexID, transaction, &read)
      }
      takeBatch()
      if batch.isEmpty {
        output.finish()
        isDone = true
      } else {
        batch.sortByHash()
        output.append(contentsOf: batch)
      }
    }
    var changes = output.takeChanges()
    changes.readBlocks = read
    return (changes, isDone)
  }

  /// Gathers, run after run, all pairs that precede every pair that is not in memory yet.
  ///
  /// The run whose memory ends first contributes all its loaded pairs. A run with lower ordinals
  /// also contributes its pairs of the last hash. A run with higher ordinals keeps those, because
  /// the limiting run may have more pairs of this hash.
  private mutating func takeBatch() {
    batch.removeAll(keepingCapacity: true)
    let ends = readers.indices.compactMap { run in
      readers[run].lastLoadedHash.map { (hash: $0, run: run) }
    }
    let limit = ends.min { ($0.hash, $0.run) < ($1.hash, $1.run) }
    for run in readers.indices {
      // Beyond all hashes if nothing is left to be loaded.
      let end = limit.map { UInt64($0.hash) + (run <= $0.run ? 1 : 0) } ?? 1 << 32
      readers[run].take(below: end, into: &batch)
    }
  }
}

/// A sorted run of pairs, spilled into blocks of the unfinished generation.
struct KeyIndexRun: Hashable, Sendable {
  let identifier: UInt32
  /// The number of merges that produced it: runs of one level have about the same length.
  let level: Int
  let blockCount: UInt32
}

/// Reads a run sequentially, with at most two blocks in memory. It can also return pairs that were
/// never spilled.
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
  ///
  /// - Parameter read: gets the block, which is not needed any more.
  mutating func fill(
    _ tables: StoreTables, _ indexID: IndexID, _ transaction: borrowing ReadTransaction,
    _ read: inout [(run: UInt32, number: UInt32)]
  ) throws(StoreError) {
    while number < blockCount, pairs.count - position < Self.blockPairs / 2 {
      pairs.removeFirst(position)
      position = 0
      do {
        try load(tables, indexID, transaction)
      } catch {
        throw StoreError(wrapping: error, path: tables.environment.path)
      }
      read.append((identifier, number))
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

  private mutating func load(
    _ tables: StoreTables, _ indexID: IndexID, _ transaction: borrowing ReadTransaction
  ) throws {
    let key = StoreKey.run(
      segment: indexID.segment, index: indexID.index, run: identifier, number: number)
    guard let bytes = try transaction.get(tables.index, key.span.bytes) else {
      throw StoreError(.damaged, "a part of an unfinished index is missing; ingest again")
    }
    let view = try IndexBlockView(bytes)
    try view.verify(
      seed: tables.seed(segment: indexID.segment, index: indexID.index, number: number))
    pairs.append(contentsOf: view.pairs())
  }
}
