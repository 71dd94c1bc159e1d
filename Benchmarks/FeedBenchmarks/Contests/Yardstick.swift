/// The figure that is made of a contestant's time.
enum Yardstick {
  /// Megabytes (10^6 bytes) a second, for a number of bytes.
  case speed(bytes: Int)
  /// Microseconds for one of a number of operations.
  case time(of: Int)
  /// Thousands of records a second, for a number of records.
  case rate(records: Int)

  var unit: String {
    switch self {
    case .speed: "MB/s"
    case .time: "µs"
    case .rate: "k/s"
    }
  }

  /// Whether a higher or a lower figure is better: `higher` or `lower`.
  var better: String {
    switch self {
    case .speed, .rate: "higher"
    case .time: "lower"
    }
  }

  func figure(seconds: Double) -> Double {
    switch self {
    case .speed(let bytes): Double(bytes) / seconds / 1e6
    case .time(let count): seconds / Double(count) * 1e6
    case .rate(let records): Double(records) / seconds / 1e3
    }
  }
}
