import Threading

/// Carries a body to the writer thread and its result back.
///
/// `@unchecked Sendable`: body and result are transferred, never shared. The caller creates the
/// call and then only waits on the monitor. The writer thread runs the body, releases it, and then
/// stores the result.
final class WriteCall<R, Failure: LMDBErrorConvertible>: @unchecked Sendable {
  typealias Body = (inout WriteTransaction) throws(Failure) -> R

  /// One thread writes it before the monitor wakes the other, which reads it afterwards.
  private struct Outcome: @unchecked Sendable {
    var result: Result<R, Failure>?
  }

  private let lineage: UInt64?
  private var body: Body?
  private let outcome = Monitor(Outcome())

  init(lineage: UInt64?, _ body: @escaping Body) {
    self.lineage = lineage
    self.body = body
  }

  func run(in store: EnvironmentStore) {
    guard let result = takeResult(store) else { return }
    let box = Outcome(result: result)
    outcome.withLock { outcome in outcome = box }
  }

  func wait() -> Result<R, Failure> {
    outcome.wait { outcome in outcome.result }
  }

  /// A separate function, so that the body is released before the caller wakes.
  @inline(never)
  private func takeResult(_ store: EnvironmentStore) -> Result<R, Failure>? {
    guard let body = body.take() else { return nil }
    return Result { () throws(Failure) in try store.transact(lineage: lineage, body) }
  }
}
