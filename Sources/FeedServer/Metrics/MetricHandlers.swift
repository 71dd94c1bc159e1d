import CoreMetrics
import Synchronization

/// A metric that the text format can show.
protocol ExposedMetric: AnyObject, Sendable {
  static var type: String { get }

  /// The lines of the metric.
  ///
  /// - Parameter labels: the labels in the text format, without braces
  func text(_ name: String, _ labels: String) -> String
}

/// A counter that many threads change.
final class MetricCounter: CounterHandler, ExposedMetric {
  static let type = "counter"

  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .relaxed) }

  func add(_ count: Int = 1) { number.wrappingAdd(count, ordering: .relaxed) }

  func increment(by count: Int64) { add(Int(clamping: count)) }

  func reset() { number.store(0, ordering: .relaxed) }

  func text(_ name: String, _ labels: String) -> String {
    MetricsRegistry.sample(name, labels, value)
  }
}

/// A number that rises and falls.
final class MetricGauge: MeterHandler, RecorderHandler, ExposedMetric {
  static let type = "gauge"

  private let bits = Atomic<UInt64>(0)

  var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func increment(by amount: Double) {
    var old = bits.load(ordering: .relaxed)
    var isChanged = false
    while !isChanged {
      let new = (Double(bitPattern: old) + amount).bitPattern
      (isChanged, old) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
    }
  }

  func set(_ value: Int64) { set(Double(value)) }
  func decrement(by amount: Double) { increment(by: -amount) }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }

  func text(_ name: String, _ labels: String) -> String {
    if let whole = Int(exactly: value) { return MetricsRegistry.sample(name, labels, whole) }
    return MetricsRegistry.sample(name, labels, value)
  }
}

/// A histogram of durations or sizes.
final class MetricHistogram: TimerHandler, RecorderHandler, ExposedMetric {
  static let type = "histogram"
  /// The upper bounds for durations, in seconds.
  static let seconds: [Double] = [
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1, 2.5, 5, 10,
  ]
  /// The upper bounds for other numbers.
  static let sizes: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  private let bounds: [Double]
  private let buckets: [MetricCounter]
  private let sum = MetricGauge()

  init(_ bounds: [Double]) {
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in MetricCounter() }
  }

  func record(_ value: Double) {
    buckets[bounds.firstIndex { value <= $0 } ?? bounds.count].add()
    sum.increment(by: value)
  }

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ duration: Duration) { record(duration / .seconds(1)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func text(_ name: String, _ labels: String) -> String {
    var text = ""
    var count = 0
    let prefix = labels.isEmpty ? "" : labels + ","
    for (bound, bucket) in zip(bounds.map { "\($0)" } + ["+Inf"], buckets) {
      count += bucket.value
      text += MetricsRegistry.sample(name + "_bucket", prefix + "le=\"\(bound)\"", count)
    }
    return text + MetricsRegistry.sample(name + "_sum", labels, sum.value)
      + MetricsRegistry.sample(name + "_count", labels, count)
  }
}
