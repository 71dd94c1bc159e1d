import LMDB

/// The numbers of lookups that found something and that did not, over all processes.
///
/// Reads do not write to the store. The counters are in a mapped file that the processes share; a
/// power cut or the loss of the file may reset them.
struct LookupCounters: Sendable {
  /// Threads count in different cache lines, to avoid contention.
  private static let lines = 8
  private static let lineCounters = 8
  static let count = lines * lineCounters

  private let map: SharedByteMap?

  /// - Parameter map: a map with `count` counters; nil disables counting.
  init(_ map: SharedByteMap?) { self.map = map }

  /// - Parameter hash: the hash of the lookup's key.
  func count(isFound: Bool, hash: UInt64) {
    let line = Int(truncatingIfNeeded: hash) & (Self.lines - 1)
    map?.increment(line * Self.lineCounters + (isFound ? 0 : 1))
  }

  /// Nil if counting is disabled.
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
