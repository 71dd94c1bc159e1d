import Threading

/// The writers that wait for what a writer thread does right now.
///
/// A body may write another environment, and the body of that a third; but a write of one that
/// waits for them would wait for itself.
struct WritesUnderWay: Sendable {
  private var writers: [ObjectIdentifier] = []

  static let ofThreads = Monitor<[UInt64: WritesUnderWay]>([:])

  /// Those that wait for the calling thread.
  static var current: WritesUnderWay {
    let thread = CurrentThread.identifier
    return ofThreads.read { threads in threads[thread] ?? WritesUnderWay() }
  }

  func contains(_ writer: WriterThread) -> Bool { writers.contains(ObjectIdentifier(writer)) }

  /// Runs a body on a writer's thread, for which these wait.
  func run<R>(on writer: WriterThread, _ body: () -> R) -> R {
    let thread = CurrentThread.identifier
    var all = self
    all.writers.append(ObjectIdentifier(writer))
    Self.ofThreads.withLock { threads in threads[thread] = all }
    defer { Self.ofThreads.withLock { threads in threads[thread] = nil } }
    return body()
  }
}
