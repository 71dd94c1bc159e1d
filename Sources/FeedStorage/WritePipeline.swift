import LMDB
import Synchronization

/// Passes one generation's writes to the writer thread, and counts what is under way there.
///
/// After the first failure nothing more is written: what would follow has a gap before it.
struct WritePipeline: ~Copyable {
  private let environment: Environment
  /// That of the file in which everything is to be written.
  private let lineage: UInt64
  private let failure = Failure()
  private var tickets: [(ticket: WriteTicket, bytes: Int)] = []
  /// Bytes of what was submitted and is not known to be committed.
  private(set) var bytesUnderWay = 0

  private final class Failure: Sendable {
    let first = Mutex<LMDBError?>(nil)
  }

  init(_ environment: Environment, lineage: UInt64) {
    self.environment = environment
    self.lineage = lineage
  }

  /// Writes that were submitted and are not known to be committed.
  var count: Int { tickets.count }

  /// Has a body run in a write transaction after all that were submitted.
  mutating func submit(
    bytes: Int,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) {
    let failure = failure
    // A commit fails after its body, on the writer thread, where what follows is queued already.
    let previous = tickets.last?.ticket
    let ticket = environment.submit(lineage: lineage) { transaction throws(LMDBError) in
      if let first = failure.first.withLock({ $0 }) ?? previous?.failure { throw first }
      do throws(LMDBError) {
        try body(&transaction)
      } catch {
        failure.first.withLock { $0 = error }
        throw error
      }
    }
    tickets.append((ticket, bytes))
    bytesUnderWay += bytes
  }

  /// Forgets what has been committed. Does not wait.
  mutating func collect() throws(StoreError) {
    while let first = tickets.first, first.ticket.isComplete { try waitForFirst() }
  }

  /// Runs a body in a write transaction when everything that was submitted has been committed, and
  /// waits for it.
  mutating func write(
    _ body: (inout WriteTransaction) throws(StoreError) -> Void
  ) throws(StoreError) {
    try drain()
    try environment.write(lineage: lineage, body)
  }

  /// Waits until everything that was submitted has been committed.
  mutating func drain() throws(StoreError) {
    while !tickets.isEmpty { try waitForFirst() }
  }

  /// Lets nothing more be written, and waits for what is under way.
  mutating func cancel() {
    let error = LMDBError(.closed, "the ingest was given up", path: environment.path)
    failure.first.withLock { if $0 == nil { $0 = error } }
    while !tickets.isEmpty { _ = try? waitForFirst() }
  }

  /// Waits until the first of what is under way has been committed; something has to be.
  mutating func waitForFirst() throws(StoreError) {
    let (ticket, bytes) = tickets.removeFirst()
    bytesUnderWay -= bytes
    do throws(LMDBError) {
      try ticket.wait()
    } catch {
      // A failed commit fails outside the body: stop those behind it as well.
      failure.first.withLock { if $0 == nil { $0 = error } }
      throw StoreError(error)
    }
  }
}
