#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compares FeedCore with a peer on the same work, alternating, so that the ratios hold on a
/// machine whose speed varies.
package struct Contest: Sendable {
  private var ours: [Double] = []
  private var peers: [Double] = []

  /// Adds the seconds of one round, in total or per item, in the same unit for both.
  mutating func add(ours: Double, peer: Double) {
    self.ours.append(ours)
    peers.append(peer)
  }

  /// FeedCore's best round.
  package var bestOurs: Double { ours.min() ?? .infinity }
  /// The peer's best round.
  package var bestPeer: Double { peers.min() ?? .infinity }

  /// FeedCore's time over the peer's, as the median of the rounds.
  package var ratio: Double {
    let ratios = ratios
    return ratios.isEmpty ? .infinity : ratios[ratios.count / 2]
  }

  /// The interquartile range of the ratios.
  package var spread: (from: Double, to: Double) {
    let ratios = ratios
    guard let last = ratios.indices.last else { return (.infinity, .infinity) }
    return (ratios[last / 4], ratios[last - last / 4])
  }

  /// FeedCore's time over the peer's in each round, in ascending order.
  private var ratios: [Double] { zip(ours, peers).map { $0 / $1 }.sorted() }
}

/// The processor time of this thread in seconds. Other load on the machine does not increase it,
/// unlike the elapsed time.
enum ThreadTime {
  static func measure<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, seconds: Double) {
    try secondsOf(CLOCK_THREAD_CPUTIME_ID, body)
  }
}

/// The processor time of all threads of this process, in seconds.
enum ProcessTime {
  static func measure<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, seconds: Double) {
    try secondsOf(CLOCK_PROCESS_CPUTIME_ID, body)
  }
}

private func secondsOf<Value, Failure: Error>(
  _ clock: clockid_t, _ body: () throws(Failure) -> Value
) throws(Failure) -> (value: Value, seconds: Double) {
  func now() -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  let value = try body()
  return (value, now() - start)
}
