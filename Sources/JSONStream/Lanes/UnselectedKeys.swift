import CFeedScan

/// The keys of records that no selection names, and how many records have each.
///
/// Keys inside values that are not selected do not count. It is the context of one lane, and only the
/// thread of that lane uses it until reading has ended.
package final class UnselectedKeys {
  /// The number of keys that are counted separately.
  private static let maximumCount = 256
  /// The maximum bytes of these keys, which are input of any length.
  private static let maximumBytes = 256 << 10

  /// The keys from the record to a value, and the number of its occurrences.
  package private(set) var counts: [[[UInt8]]: Int] = [:]
  /// Occurrences of further keys.
  package private(set) var otherCount = 0
  private var bytes = 0

  package init() {}

  func add(_ path: [[UInt8]], count: Int) {
    guard count > 0 else { return }
    if let known = counts[path] {
      counts[path] = known + count
      return
    }
    let added = path.reduce(0) { $0 + $1.count }
    guard counts.count < Self.maximumCount, bytes + added <= Self.maximumBytes else {
      otherCount += count
      return
    }
    counts[path] = count
    bytes += added
  }

  /// Adds the counts of another lane.
  package func add(_ other: UnselectedKeys) {
    for (path, count) in other.counts { add(path, count: count) }
    otherCount += other.otherCount
  }
}

extension RecordTape {
  /// Adds the unselected keys on the tape: those that YAJL has read, and those of replayed steps
  /// that accept any key.
  func collectUnselectedKeys(into keys: UnselectedKeys, nodePaths: [[[UInt8]]]) {
    for index in 0..<storage.pointee.elementCount {
      let entry = storage.pointee.elements[index]
      guard entry.kind == .end, Int(entry.path) < nodePaths.count else { continue }
      let key = bytes(of: entry).withUnsafeBytes { Array($0) }
      keys.add(nodePaths[Int(entry.path)] + [key], count: 1)
    }
  }
}

extension LaneState {
  /// Appends a key that is not selected to the elements, outside of any list.
  @inline(never)
  mutating func reportKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    let start = UInt(bitPattern: bytes) &- UInt(bitPattern: tape.chunk)
    let path = UInt16(truncatingIfNeeded: node)
    if start < UInt(bitPattern: tape.chunkCount) {
      let offset = Int(bitPattern: start)
      tape.append(
        TapeEntry(.end, path: path, length: length, offset: offset, position: offset))
    } else {
      let offset = tape.appendToArena(bytes, length)
      tape.append(
        TapeEntry(
          .end, flags: FEEDSCAN_IN_ARENA, path: path, length: length, offset: offset,
          position: tokenEnd))
    }
  }
}
