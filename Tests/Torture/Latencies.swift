/// Times in microseconds.
struct Latencies {
  private let sorted: [Int]

  init(_ times: [Int]) { sorted = times.sorted() }

  /// The time that the given percentage of the latencies does not exceed; 100 gives the maximum.
  func percentile(_ percent: Double) -> Int {
    guard !sorted.isEmpty else { return 0 }
    let index = Int((Double(sorted.count) * percent / 100).rounded(.up)) - 1
    return sorted[min(max(index, 0), sorted.count - 1)]
  }
}
