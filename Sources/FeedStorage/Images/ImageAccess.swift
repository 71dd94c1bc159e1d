import LMDB

/// Which images were read since the evictor last came by, as far as anybody can tell.
///
/// Processes share it through a file, which they only ever write to in memory: a read costs one
/// load, and marks may be lost or stand for another image whose key has the same slot. Without
/// the file nothing is marked, which costs hits and nothing else.
struct ImageAccess: Sendable {
  private let map: SharedByteMap?
  /// In the same file.
  let counters: LookupCounters

  init(_ directory: String, _ sharing: Sharing) {
    let path = directory + "/" + ImageFormat.accessMap
    map = try? SharedByteMap.open(
      path, count: ImageFormat.accessSlots, counters: LookupCounters.count, sharing)
    counters = LookupCounters(map)
  }

  /// The counts of a store that somebody else uses.
  static func lookups(_ directory: String) -> StoreStatistics.Lookups? {
    let map = try? SharedByteMap.openExisting(
      directory + "/" + ImageFormat.accessMap, count: ImageFormat.accessSlots,
      counters: LookupCounters.count)
    return LookupCounters(map ?? nil).lookups
  }

  func count(isFound: Bool, _ key: ImageKey) {
    counters.count(isFound: isFound, hash: UInt64(truncatingIfNeeded: key.hash))
  }

  func mark(_ key: ImageKey) { map?.mark(slot(key)) }
  func clear(_ key: ImageKey) { map?.clear(slot(key)) }
  func isMarked(_ key: ImageKey) -> Bool { map?.isMarked(slot(key)) ?? false }

  private func slot(_ key: ImageKey) -> Int {
    Int(truncatingIfNeeded: key.hash) & (ImageFormat.accessSlots - 1)
  }
}
