@_spi(Ingest) import FeedRecord
import LMDB

/// Merges sorted runs into one, a bounded number of blocks at a time.
///
/// Taken from all runs at once is what lies within the blocks in memory, and that is sorted: hashes
/// are spread evenly, so a batch has about a block of each run, and sorting by digits costs the
/// same for each pair, while to compare the runs' heads would cost more the more runs there are.
struct KeyIndexMerge: ~Copyable {
  private let tables: StoreTables
  private let place: KeyIndexOutput.Place
  private var readers: [KeyIndexRunReader]
  private var output: KeyIndexOutput
  private var batch: [KeyPair] = []

  /// - Parameters:
  ///   - runs: in the order of their ordinals, which decides between equal hashes
  ///   - rest: sorted pairs, whose ordinals follow those of the runs
  init(
    _ tables: StoreTables, _ place: KeyIndexOutput.Place, _ runs: [KeyIndexRun],
    _ rest: consuming [KeyPair] = [], to destination: KeyIndexOutput.Destination
  ) {
    self.tables = tables
    self.place = place
    readers = runs.map { KeyIndexRunReader($0) } + [KeyIndexRunReader(rest)]
    output = KeyIndexOutput(tables, place, destination)
  }

  /// Blocks that were written.
  var blockCount: UInt32 { output.blockCount }
  /// Bytes that were written.
  var byteCount: Int { output.byteCount }

  /// Merges on until at least so many bytes have been written; returns whether all is done.
  mutating func step(bytes: Int, _ transaction: inout WriteTransaction) throws -> Bool {
    let end = output.byteCount + bytes
    while output.byteCount < end {
      for index in readers.indices { try readers[index].fill(tables, place, &transaction) }
      takeBatch()
      if batch.isEmpty {
        try output.finish(&transaction)
        return true
      }
      batch.sortByHash()
      try output.append(contentsOf: batch, &transaction)
    }
    return false
  }

  /// Gathers, run after run, all pairs that come before any pair that is not in memory yet.
  ///
  /// The run whose memory ends first gives all it has there. One that has lower ordinals gives what
  /// it has of the last hash too; one that has higher ordinals keeps that, as pairs of this hash
  /// can follow from the former.
  private mutating func takeBatch() {
    batch.removeAll(keepingCapacity: true)
    let ends = readers.indices.compactMap { run in
      readers[run].lastLoadedHash.map { (hash: $0, run: run) }
    }
    let limit = ends.min { ($0.hash, $0.run) < ($1.hash, $1.run) }
    for run in readers.indices {
      // Behind the last of all hashes where nothing is left to be loaded.
      let end = limit.map { UInt64($0.hash) + (run <= $0.run ? 1 : 0) } ?? 1 << 32
      readers[run].take(below: end, into: &batch)
    }
  }
}
