import LMDB
import Synchronization

/// Submits one generation's writes to the writer thread and tracks them.
///
/// After the first failure nothing more is written, because later writes would follow a gap.
struct WritePipeline: ~Copyable {
  private let environment: Environment
  /// The lineage of the file in which everything must be written.
  private let lineage: UInt64
  private let failure = Failure()
  private var pending: [(write: PendingWrite<Void, LMDBError>, bytes: Int)] = []
  /// The bytes that were submitted and are not known to be committed.
  private(set) var bytesUnderWay = 0
  /// The bytes that are known to be committed.
  private(set) var writtenBytes = 0

  private final class Failure: Sendable {
    let first = Mutex<LMDBError?>(nil)
  }

  init(_ environment: Environment, lineage: UInt64) {
    self.environment = environment
    self.lineage = lineage
  }

  /// The number of writes that were submitted and are not known to be committed.
  var count: Int { pending.count }

  /// Requires space for a batch in addition to the submitted ones, which the file may not hold yet.
  ///
  /// - Throws: `diskFull`; `busy` with the reader's process in the message.
  mutating func requireSpace(for bytes: Int, in space: inout StoreSpace) throws(StoreError) {
    try collect()
    do throws(StoreError) {
      try space.require(bytes, after: bytesUnderWay)
    } catch {
      // A submitted batch may have been committed by now, and then it counts twice.
      guard error.code == .diskFull, count > 0 else { throw error }
      try drain()
      try space.require(bytes, after: 0)
    }
  }

  /// Runs a body in a write transaction after all submitted ones.
  mutating func submit(
    bytes: Int,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) {
    let failure = failure
    // A commit fails after its body, on the writer thread, where later writes are already queued.
    let previous = pending.last?.write
    let write = environment.submit(lineage: lineage) { transaction throws(LMDBError) in
      if let first = failure.first.withLock({ $0 }) ?? previous?.failure { throw first }
      do throws(LMDBError) {
        try body(&transaction)
      } catch {
        failure.first.withLock { $0 = error }
        throw error
      }
    }
    pending.append((write, bytes))
    bytesUnderWay += bytes
  }

  /// Removes committed writes from the queue. Does not wait.
  mutating func collect() throws(StoreError) {
    while let first = pending.first, first.write.isComplete { try waitForFirst() }
  }

  /// Waits until all submitted writes have been committed, then runs a body in a write transaction
  /// and waits for it.
  mutating func write(
    _ body: (inout WriteTransaction) throws(StoreError) -> Void
  ) throws(StoreError) {
    try drain()
    try environment.write(lineage: lineage, body)
  }

  /// Waits until all submitted writes have been committed.
  mutating func drain() throws(StoreError) {
    while !pending.isEmpty { try waitForFirst() }
  }

  /// Stops further writes and waits for submitted ones.
  mutating func cancel() {
    let error = LMDBError(.closed, "the ingest was abandoned", path: environment.path)
    failure.first.withLock { if $0 == nil { $0 = error } }
    while !pending.isEmpty { _ = try? waitForFirst() }
  }

  /// Waits until the first submitted write has been committed; there must be one.
  mutating func waitForFirst() throws(StoreError) {
    let (write, bytes) = pending.removeFirst()
    bytesUnderWay -= bytes
    do throws(LMDBError) {
      try write.wait()
    } catch {
      // A commit fails outside the body, so the writes after it must be stopped as well.
      failure.first.withLock { if $0 == nil { $0 = error } }
      throw StoreError(error)
    }
    writtenBytes += bytes
  }
}
