@_spi(Ingest) import FeedRecord
import LMDB
import Synchronization

/// Builds an index of a segment from the pairs of its records.
///
/// Pairs are gathered in memory up to a limit, sorted, and written as runs into the unfinished
/// generation. The runs are then merged into the index. All of this is stored by write transactions
/// of limited size. At the end, the caller's thread merges while the writer thread stores.
final class KeyIndexBuilder: Sendable {
  /// The number of runs of one level that are merged into one of the next level. A merge holds two
  /// blocks of each.
  static let fanIn = 12
  /// The minimum number of bytes that one merge step writes; it deletes about the same number. The
  /// batch that reaches it adds about a block of each run.
  static let stepBytes = 1 << 20
  /// The same once all blocks have been written: as much as a batch. Each step waits for the disk.
  static let lastStepBytes = 4 << 20

  private struct BuildState: ~Copyable {
    var pairs: KeyPairBuckets
    var runs: [KeyIndexRun] = []
    var nextRun: UInt32 = 0
    var merge: KeyIndexMerge?
    /// The runs that the merge replaces; new runs are added only after them.
    var merging = 0..<0
    /// The level of the resulting run; nil if the merge produces the index.
    var mergedLevel: Int?
    var mergedRun: UInt32 = 0
    var isFinishing = false
    var result = IndexResult()
  }

  private let tables: StoreTables
  private let indexID: IndexID
  private let capacity: Int
  private let state: Mutex<BuildState>

  init(_ tables: StoreTables, _ indexID: IndexID, memoryCapacity: Int) {
    self.tables = tables
    self.indexID = indexID
    capacity = max(memoryCapacity, 1)
    state = Mutex(BuildState(pairs: KeyPairBuckets(capacity: capacity)))
  }

  /// The finished index.
  var result: IndexResult { state.withLock { state in state.result } }

  /// Adds the pairs of the next records, in the order of their ordinals; spills them if memory is
  /// full.
  func add(
    _ pairs: ArraySlice<KeyPair>, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    try state.withLock { state throws(LMDBError) in
      var rest = pairs
      while !rest.isEmpty {
        let taken = rest.prefix(capacity - state.pairs.count)
        state.pairs.append(contentsOf: taken)
        rest = rest.dropFirst(taken.count)
        if state.pairs.count >= capacity { try spill(&state, &transaction) }
      }
    }
  }

  /// Whether there is a merge to continue or to begin.
  var needsStep: Bool {
    state.withLock { state in
      state.merge != nil || (state.isFinishing && !state.runs.isEmpty)
    }
  }

  /// Continues the merge for one transaction.
  func step(_ transaction: inout WriteTransaction) throws(LMDBError) {
    let path = tables.environment.path
    let changes = try transaction.reading { view throws(LMDBError) in
      do { return try nextChanges(view) } catch { throw LMDBError(wrapping: error, path: path) }
    }
    try changes.write(&transaction)
  }

  /// Continues the merge, and returns what one transaction has to store.
  ///
  /// - Parameter transaction: sees the changes of all runs. The changes of the index itself need
  ///   not be stored yet.
  func nextChanges(
    _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> KeyIndexChanges {
    try state.withLock { state throws(StoreError) in
      let bytes = state.isFinishing ? Self.lastStepBytes : Self.stepBytes
      if state.merge == nil, state.isFinishing { mergeAll(&state) }
      guard var merge = state.merge.take() else {
        return KeyIndexChanges(tables, indexID, .index)
      }
      let step = try merge.step(bytes: bytes, transaction)
      if step.isDone {
        complete(&state, merge.result)
      } else {
        state.merge = consume merge
      }
      return step.changes
    }
  }

  /// Begins the index itself, after the last pair. It is complete if the pairs are all in memory;
  /// otherwise store `nextChanges` while `needsStep`.
  func finish(_ transaction: inout WriteTransaction) throws(LMDBError) {
    try state.withLock { state throws(LMDBError) in
      state.isFinishing = true
      guard state.runs.isEmpty, state.merge == nil else { return }
      var output = KeyIndexOutput(tables, indexID, .index)
      try write(&state, to: &output, &transaction)
      state.result = IndexResult(output)
    }
  }

  private func spill(
    _ state: inout BuildState, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    var output = KeyIndexOutput(tables, indexID, .run(state.nextRun))
    try write(&state, to: &output, &transaction)
    state.runs.append(
      KeyIndexRun(identifier: state.nextRun, level: 0, blockCount: output.blockCount))
    state.nextRun += 1
    mergeTier(&state)
  }

  private func write(
    _ state: inout BuildState, to output: inout KeyIndexOutput,
    _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    try state.pairs.removeSorted { pairs throws(LMDBError) in
      output.append(contentsOf: pairs)
      try output.takeChanges().write(&transaction)
    }
    output.finish()
    try output.takeChanges().write(&transaction)
  }

  /// Begins to merge runs if there are enough adjacent ones of the same level.
  private func mergeTier(_ state: inout BuildState) {
    guard state.merge == nil, !state.isFinishing else { return }
    var start = 0
    for index in state.runs.indices {
      if state.runs[index].level != state.runs[start].level { start = index }
      guard index - start + 1 == Self.fanIn else { continue }
      state.merging = start..<index + 1
      state.mergedLevel = state.runs[start].level + 1
      state.mergedRun = state.nextRun
      state.nextRun += 1
      state.merge = KeyIndexMerge(
        tables, indexID, Array(state.runs[state.merging]), to: .run(state.mergedRun))
      return
    }
  }

  /// Begins to merge everything into the index. Pairs in memory need not be spilled for that.
  private func mergeAll(_ state: inout BuildState) {
    state.merging = state.runs.indices
    state.mergedLevel = nil
    var rest: [KeyPair] = []
    rest.reserveCapacity(state.pairs.count)
    state.pairs.removeSorted { pairs in rest.append(contentsOf: pairs) }
    state.merge = KeyIndexMerge(tables, indexID, state.runs, rest, to: .index)
  }

  private func complete(_ state: inout BuildState, _ result: IndexResult) {
    guard let level = state.mergedLevel else {
      state.runs = []
      state.result = result
      return
    }
    let run = KeyIndexRun(
      identifier: state.mergedRun, level: level, blockCount: result.blockCount)
    state.runs.replaceSubrange(state.merging, with: [run])
    mergeTier(&state)
  }
}

/// The size of a finished index, and how distinct its hashes are.
struct IndexResult: Sendable {
  var blockCount: UInt32 = 0
  var byteCount = 0
  /// The number of pairs: one for each record that has the field.
  var pairCount = 0
  /// The number of pairs with the hash of the pair before them.
  var repeatedHashes = 0

  init() {}

  init(_ output: borrowing KeyIndexOutput) {
    blockCount = output.blockCount
    byteCount = output.byteCount
    pairCount = output.pairCount
    repeatedHashes = output.repeatedHashes
  }
}

extension LMDBError {
  /// For jobs on the writer thread, which throw this type.
  init(wrapping error: any Error, path: String) {
    self = error as? LMDBError ?? LMDBError(.damaged, "\(error)", path: path)
  }
}

/// The indexes of a segment under construction for fields other than the key, and the pairs to be
/// added to them.
struct FieldIndexes {
  let builders: [KeyIndexBuilder]
  private let fields: [KeyField]
  private let layout: RecordLayout
  /// For each index, the pairs since the last call of `takePairs`.
  private var pairs: [[KeyPair]]
  /// The total number of waiting pairs.
  private(set) var pairCount = 0

  /// - Parameter memoryCapacity: the number of pairs that each index may hold in memory.
  init(_ tables: StoreTables, _ row: GenerationRow, memoryCapacity: Int) {
    layout = row.layout
    fields = row.indexedFields.map { KeyField($0, of: row.layout) }
    builders = row.indexedFields.indices.map { position in
      let indexID = IndexID(
        segment: row.generation, index: UInt8(clamping: position + 1))
      return KeyIndexBuilder(tables, indexID, memoryCapacity: memoryCapacity)
    }
    pairs = Array(repeating: [], count: builders.count)
  }

  var isEmpty: Bool { builders.isEmpty }

  /// Adds a record of the layout.
  mutating func add(
    _ record: RawSpan, isWide: Bool, ordinal: UInt32
  ) throws(StoreError) {
    // The view borrows its layout. A local copy keeps it from borrowing the whole value.
    let (fields, layout) = (fields, layout)
    do throws(RecordError) {
      let view = try RecordView(record, layout: layout, isWide: isWide)
      for index in fields.indices {
        let before = pairs[index].count
        try fields[index].forEachPair(view, ordinal: ordinal) { pairs[index].append($0) }
        pairCount += pairs[index].count - before
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Returns the waiting pairs of each index and removes them.
  mutating func takePairs() -> [[KeyPair]] {
    let taken = pairs
    for index in pairs.indices { pairs[index].removeAll() }
    pairCount = 0
    return taken
  }
}
