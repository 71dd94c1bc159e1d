import LMDB

/// Which images were read since the evictor last came by, as far as anybody can tell.
///
/// Processes share it through a file, which they only ever write to in memory: a read costs one
/// load, and marks may be lost or stand for another image whose key has the same slot. Without
/// the file nothing is marked, which costs hits and nothing else.
struct ImageAccess: Sendable {
  private let map: SharedByteMap?

  init(_ directory: String, _ sharing: Sharing) {
    let path = directory + "/" + ImageFormat.accessMap
    map = try? SharedByteMap.open(path, count: ImageFormat.accessSlots, sharing)
  }

  func mark(_ key: ImageKey) { map?.mark(slot(key)) }
  func clear(_ key: ImageKey) { map?.clear(slot(key)) }
  func isMarked(_ key: ImageKey) -> Bool { map?.isMarked(slot(key)) ?? false }

  private func slot(_ key: ImageKey) -> Int {
    Int(truncatingIfNeeded: key.hash) & (ImageFormat.accessSlots - 1)
  }
}
