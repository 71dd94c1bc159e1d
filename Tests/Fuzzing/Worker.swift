import Synchronization

/// One of the threads that check documents, as others see it.
final class Worker: Sendable {
  static let idle = -1

  let number: Int
  /// The document in hand, or `idle`.
  let document = Atomic(Worker.idle)

  init(number: Int) { self.number = number }
}
