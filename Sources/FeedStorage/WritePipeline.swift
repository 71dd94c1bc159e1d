import LMDB
import Synchronization

/// Hands one generation's writes to the writer thread, with a bounded amount under way.
///
/// After the first failure nothing more is written: what would follow has a gap before it.
struct WritePipeline: ~Copyable {
  private let environment: Environment
  /// That of the file in which everything is to be written.
  private let lineage: UInt64
  private let failure = Failure()
  private var tickets: [(ticket: WriteTicket, bytes: Int)] = []
  private var bytesUnderWay = 0

  private final class Failure: Sendable {
    let first = Mutex<LMDBError?>(nil)
  }

  init(_ environment: Environment, lineage: UInt64) {
    self.environment = environment
    self.lineage = lineage
  }

  /// Whether the writer thread has done everything that was submitted.
  var isIdle: Bool { tickets.last.map(\.ticket.isComplete) ?? true }

  /// Has a body run in a write transaction; waits before that while too many bytes are under way.
  mutating func submit(
    bytes: Int,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) throws(StoreError) {
    while !tickets.isEmpty, bytesUnderWay + bytes > StoreFormat.bytesInFlight { try waitForFirst() }
    follow(bytes: bytes, body)
  }

  /// Has a body run in a write transaction behind the others; what is submitted next waits for its
  /// bytes too.
  mutating func follow(
    bytes: Int,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) {
    let failure = failure
    let ticket = environment.submit(lineage: lineage) { transaction throws(LMDBError) in
      if let first = failure.first.withLock({ $0 }) { throw first }
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

  private mutating func waitForFirst() throws(StoreError) {
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
