@_spi(Ingest) import FeedRecord
import LMDB

/// The segment and the index that index blocks belong to.
struct IndexID: Sendable {
  let segment: UInt64
  /// The number of the index.
  let index: UInt8
}

/// Packs sorted pairs into index blocks: of the index of a segment, or of a run.
struct KeyIndexOutput: ~Copyable {
  /// The destination of the blocks.
  enum Destination {
    case index
    case run(UInt32)
  }

  private let tables: StoreTables
  private let indexID: IndexID
  private let destination: Destination
  private var builder: IndexBlockBuilder
  private var lower: UInt32?
  private var changes: KeyIndexChanges
  private(set) var blockCount: UInt32 = 0
  private(set) var byteCount = 0
  private(set) var pairCount = 0
  /// The number of pairs with the hash of the pair before them.
  private(set) var repeatedHashes = 0
  private var lastHash: UInt32?

  init(_ tables: StoreTables, _ indexID: IndexID, _ destination: Destination) {
    self.tables = tables
    self.indexID = indexID
    self.destination = destination
    changes = KeyIndexChanges(tables, indexID, destination)
    builder =
      switch destination {
      case .index: IndexBlockBuilder()
      case .run: IndexBlockBuilder(byteCount: StoreFormat.runBlockBytes)
      }
  }

  /// Adds sorted pairs. Their hashes must not be below the last one.
  mutating func append(contentsOf pairs: [KeyPair]) {
    var rest = pairs[...]
    while let first = rest.first {
      if builder.remainingCapacity == 0 { seal(upper: first.hash) }
      let taken = rest.prefix(builder.remainingCapacity)
      builder.append(contentsOf: taken)
      for pair in taken { count(pair) }
      rest = rest.dropFirst(taken.count)
    }
  }

  /// Completes the last block. An empty index has one empty block, which shows that no pair is
  /// missing.
  mutating func finish() {
    if builder.count > 0 || blockCount == 0 { seal(upper: nil) }
  }

  /// Returns the blocks that were completed since the last call, to be stored.
  mutating func takeChanges() -> KeyIndexChanges {
    let taken = changes
    changes = KeyIndexChanges(tables, indexID, destination)
    return taken
  }

  private mutating func count(_ pair: KeyPair) {
    pairCount += 1
    if pair.hash == lastHash { repeatedHashes += 1 }
    lastHash = pair.hash
  }

  private mutating func seal(upper: UInt32?) {
    let number = blockCount
    let first = builder.firstHash ?? 0
    let last = builder.lastHash
    let block = builder.seal(
      number: number, lower: lower, upper: upper,
      seed: tables.seed(segment: indexID.segment, index: indexID.index, number: number))
    changes.blocks.append((number, first, block))
    lower = last
    blockCount += 1
    byteCount += block.byteCount
  }
}

/// Blocks of an index to be stored, and blocks of merged runs to be deleted.
struct KeyIndexChanges: Sendable {
  private let tables: StoreTables
  private let indexID: IndexID
  private let destination: KeyIndexOutput.Destination
  fileprivate(set) var blocks: [(number: UInt32, hash: UInt32, block: SealedBlock)] = []
  /// The blocks of runs that were read.
  var readBlocks: [(run: UInt32, number: UInt32)] = []

  init(_ tables: StoreTables, _ indexID: IndexID, _ destination: KeyIndexOutput.Destination) {
    self.tables = tables
    self.indexID = indexID
    self.destination = destination
  }

  /// Whether the blocks are those of a run, which will be read again.
  var isOfRun: Bool {
    switch destination {
    case .index: false
    case .run: true
    }
  }

  var byteCount: Int { blocks.reduce(0) { $0 + $1.block.byteCount } }

  func write(_ transaction: inout WriteTransaction) throws(LMDBError) {
    let (segment, index) = (indexID.segment, indexID.index)
    for (number, hash, block) in blocks {
      try block.withBytes { bytes throws(LMDBError) in
        switch destination {
        case .index:
          let key = StoreKey.index(segment: segment, index: index, hash: hash, number: number)
          try transaction.put(tables.index, key.span.bytes, bytes)
        case .run(let run):
          let key = StoreKey.run(segment: segment, index: index, run: run, number: number)
          try transaction.put(tables.index, key.span.bytes, bytes)
        }
      }
    }
    for (run, number) in readBlocks {
      let key = StoreKey.run(segment: segment, index: index, run: run, number: number)
      try transaction.delete(tables.index, key.span.bytes)
    }
  }
}
