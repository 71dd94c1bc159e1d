import Synchronization

/// A counter that many threads change.
final class MetricCounter: Sendable {
  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .relaxed) }

  func add(_ count: Int = 1) { number.wrappingAdd(count, ordering: .relaxed) }
}
