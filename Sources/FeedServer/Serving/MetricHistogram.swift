import Synchronization

/// A histogram of request durations.
final class MetricHistogram: Sendable {
  /// The upper bounds of the buckets, in seconds.
  static let bounds: [Double] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1, 2.5, 5, 10,
  ]

  private let classes: [MetricCounter] = (0...bounds.count).map { _ in MetricCounter() }
  private let nanoseconds = MetricCounter()

  func observe(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let value = Double(seconds) + Double(attoseconds) / 1e18
    let number = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
    classes[number].add()
    nanoseconds.add(Int(clamping: seconds) &* 1_000_000_000 &+ Int(attoseconds / 1_000_000_000))
  }

  /// For each bound, the number of durations up to it, and then the total.
  var cumulated: [Int] {
    var sum = 0
    return classes.map { number in
      sum += number.value
      return sum
    }
  }

  /// The sum of all, in seconds.
  var seconds: Double { Double(nanoseconds.value) / 1e9 }
}
