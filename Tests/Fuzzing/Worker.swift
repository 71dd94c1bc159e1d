import Synchronization

/// The state of one worker that checks documents, for other threads to read.
final class Worker: Sendable {
  static let idle = -1

  let number: Int
  /// The document in progress, or `idle`.
  let document = Atomic(Worker.idle)

  init(number: Int) { self.number = number }
}
