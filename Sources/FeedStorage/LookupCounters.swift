import LMDB

/// How many look-ups found what they were for, and how many did not, in all processes together.
///
/// A read writes nothing to the store, so they are counted in a file that the processes share in
/// memory alone: a power cut, or the loss of the file, may take counts back.
struct LookupCounters: Sendable {
  /// Threads count in different cache lines, or they would wait for one another.
  private static let lines = 8
  private static let lineCounters = 8
  static let count = lines * lineCounters

  private let map: SharedByteMap?

  /// - Parameter map: has `count` counters; without one nothing is counted.
  init(_ map: SharedByteMap?) { self.map = map }

  /// - Parameter hash: that of what was looked up.
  func count(isFound: Bool, hash: UInt64) {
    let line = Int(truncatingIfNeeded: hash) & (Self.lines - 1)
    map?.increment(line * Self.lineCounters + (isFound ? 0 : 1))
  }

  /// Nil where nothing is counted.
  var lookups: StoreStatistics.Lookups? {
    guard let map else { return nil }
    func sum(_ number: Int) -> Int {
      (0..<Self.lines).reduce(0) { sum, line in
        sum + Int(clamping: map.value(ofCounter: line * Self.lineCounters + number))
      }
    }
    return StoreStatistics.Lookups(hits: sum(0), misses: sum(1))
  }
}
