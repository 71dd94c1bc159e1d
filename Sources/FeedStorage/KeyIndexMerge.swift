@_spi(Ingest) import FeedRecord
import LMDB

/// Merges sorted runs into one, a bounded number of blocks at a time.
struct KeyIndexMerge: ~Copyable {
  private let tables: StoreTables
  private let place: KeyIndexOutput.Place
  private var readers: [KeyIndexRunReader]
  private var output: KeyIndexOutput
  /// The readers that are not at their end, as a heap: the least pair first.
  private var heap: [Int] = []
  private var isStarted = false

  /// - Parameter runs: in the order of their ordinals, which decides between equal hashes
  init(
    _ tables: StoreTables, _ place: KeyIndexOutput.Place, _ runs: [KeyIndexRun],
    to destination: KeyIndexOutput.Destination
  ) {
    self.tables = tables
    self.place = place
    readers = runs.map { KeyIndexRunReader($0) }
    output = KeyIndexOutput(tables, place, destination)
  }

  /// Blocks that were written.
  var blockCount: UInt32 { output.blockCount }
  /// Bytes that were written.
  var byteCount: Int { output.byteCount }

  /// Merges on until so many blocks have been written; returns whether all is done.
  mutating func step(blocks: UInt32, _ transaction: inout WriteTransaction) throws -> Bool {
    if !isStarted { try start(&transaction) }
    let end = output.blockCount + blocks
    while let least = heap.first {
      if output.blockCount >= end { return false }
      guard let pair = readers[least].pair else { break }
      try output.append(pair, &transaction)
      try readers[least].advance(tables, place, &transaction)
      if readers[least].pair == nil {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
      }
      siftDown(from: 0)
    }
    try output.finish(&transaction)
    return true
  }

  private mutating func start(_ transaction: inout WriteTransaction) throws {
    isStarted = true
    for index in readers.indices {
      try readers[index].load(tables, place, &transaction)
      if readers[index].pair != nil { heap.append(index) }
    }
    for position in heap.indices.reversed() { siftDown(from: position) }
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if isBefore(heap[child], heap[least]) { least = child }
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  /// An earlier run has the lower ordinals, so it goes first where hashes are equal.
  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    guard let first = readers[left].pair, let second = readers[right].pair else { return false }
    return first.hash == second.hash ? left < right : first.hash < second.hash
  }
}
