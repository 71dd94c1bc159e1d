import LMDB

/// An approximate record of the images that were read since the evictor last visited them.
///
/// Processes share it through a mapped file. A read costs one load. Marks may be lost, or belong to
/// another image whose key has the same slot. Without the file nothing is marked, which only costs
/// hits.
struct ImageAccess: Sendable {
  private let map: SharedByteMap?
  /// The lookup counters, in the same file.
  let counters: LookupCounters

  init(_ directory: String, _ sharing: Sharing) {
    let path = directory + "/" + ImageFormat.accessMap
    map = try? SharedByteMap.open(
      path, count: ImageFormat.accessSlots, counters: LookupCounters.count, sharing)
    counters = LookupCounters(map)
  }

  /// The counters of a store that another process uses.
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
