@_spi(Ingest) import FeedRecord
import LMDB

/// The segment and the index that index blocks belong to.
struct IndexID: Sendable {
  let segment: UInt64
  /// The number of the index.
  let index: UInt8
}

/// Packs sorted pairs into index blocks and stores them, as the index of a segment or as a run.
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
    builder =
      switch destination {
      case .index: IndexBlockBuilder()
      case .run: IndexBlockBuilder(byteCount: StoreFormat.runBlockBytes)
      }
  }

  /// Adds a pair. Its hash must not be below the last one.
  mutating func append(
    _ pair: KeyPair, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    if builder.remainingCapacity == 0 { try flush(upper: pair.hash, &transaction) }
    builder.append(pair)
    count(pair)
  }

  private mutating func count(_ pair: KeyPair) {
    pairCount += 1
    if pair.hash == lastHash { repeatedHashes += 1 }
    lastHash = pair.hash
  }

  /// Adds sorted pairs. Their hashes must not be below the last one.
  mutating func append(
    contentsOf pairs: [KeyPair], _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var rest = pairs[...]
    while let first = rest.first {
      if builder.remainingCapacity == 0 { try flush(upper: first.hash, &transaction) }
      let taken = rest.prefix(builder.remainingCapacity)
      builder.append(contentsOf: taken)
      for pair in taken { count(pair) }
      rest = rest.dropFirst(taken.count)
    }
  }

  /// Stores the last block. An empty index has one empty block, which shows that no pair is
  /// missing.
  mutating func finish(_ transaction: inout WriteTransaction) throws(LMDBError) {
    if builder.count > 0 || blockCount == 0 { try flush(upper: nil, &transaction) }
  }

  private mutating func flush(
    upper: UInt32?, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let number = blockCount
    let first = builder.firstHash ?? 0
    let last = builder.lastHash
    let block = builder.seal(
      number: number, lower: lower, upper: upper,
      seed: tables.seed(segment: indexID.segment, index: indexID.index, number: number))
    try block.withBytes { bytes throws(LMDBError) in
      switch destination {
      case .index:
        let key = StoreKey.index(
          segment: indexID.segment, index: indexID.index, hash: first, number: number)
        try transaction.put(tables.index, key.span.bytes, bytes)
      case .run(let run):
        let key = StoreKey.run(
          segment: indexID.segment, index: indexID.index, run: run, number: number)
        try transaction.put(tables.index, key.span.bytes, bytes)
      }
    }
    lower = last
    blockCount += 1
    byteCount += block.byteCount
  }
}
