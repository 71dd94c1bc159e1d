import Threading

/// The writers that wait for the current work of a writer thread.
///
/// A body may write another environment, and its body a third. A write to an environment that
/// already waits would wait for itself.
struct WritesUnderWay: Sendable {
  private var writers: [ObjectIdentifier] = []

  static let ofThreads = Monitor<[UInt64: WritesUnderWay]>([:])

  /// The writers that wait for the calling thread.
  static var current: WritesUnderWay {
    let thread = CurrentThread.identifier
    return ofThreads.read { threads in threads[thread] ?? WritesUnderWay() }
  }

  func contains(_ writer: WriterThread) -> Bool { writers.contains(ObjectIdentifier(writer)) }

  /// Runs a body on a writer's thread for which these writers wait.
  func run<R>(on writer: WriterThread, _ body: () -> R) -> R {
    let thread = CurrentThread.identifier
    var all = self
    all.writers.append(ObjectIdentifier(writer))
    Self.ofThreads.withLock { threads in threads[thread] = all }
    defer { Self.ofThreads.withLock { threads in threads[thread] = nil } }
    return body()
  }
}
