/// What is told of a contestant's time.
enum Yardstick {
  /// Megabytes (10^6 bytes) a second, of so many bytes.
  case speed(bytes: Int)
  /// Microseconds for one of so many.
  case time(of: Int)
  /// Thousands of records a second, of so many.
  case rate(records: Int)

  var unit: String {
    switch self {
    case .speed: "MB/s"
    case .time: "µs"
    case .rate: "k/s"
    }
  }

  /// Whether more of it is better; `higher` or `lower`.
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
