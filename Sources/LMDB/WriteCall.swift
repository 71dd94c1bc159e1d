import Threading

/// A body on its way to the writer thread and its result on the way back.
///
/// `@unchecked Sendable`: body and result are handed over, never shared. The
/// caller makes the call and then only waits on the monitor; the writer
/// thread runs the body, lets go of it, and then stores the result.
final class WriteCall<R, Failure: LMDBErrorConvertible>: @unchecked Sendable {
  typealias Body = (inout WriteTransaction) throws(Failure) -> R

  /// Written by one thread before, and read by the other after, the monitor wakes it.
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

  /// In a function of its own, so that the body is released before the caller wakes.
  @inline(never)
  private func takeResult(_ store: EnvironmentStore) -> Result<R, Failure>? {
    guard let body = body.take() else { return nil }
    return Result { () throws(Failure) in try store.transact(lineage: lineage, body) }
  }
}
