import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where the pages of the next write could come from, and who keeps pages from being used again.
package struct EnvironmentRoom: Hashable, Sendable {
  /// The size of the data file in bytes.
  package let fileBytes: Int
  /// Bytes of the file that committed data occupy.
  package let usedBytes: Int
  /// Bytes of replaced pages that no reader sees any more.
  package let reusableBytes: Int
  /// Bytes of replaced pages that the oldest reader keeps from being used again.
  package let heldBytes: Int
  /// By how many bytes the file can grow, on this disk and in this map.
  package let growthBytes: Int
  /// The reader of the oldest snapshot; nil where nobody reads.
  package let oldestReader: EnvironmentStatistics.Reader?
}

extension Environment {
  /// By how many bytes the disk lets the file grow. One system call.
  package var freeDiskBytes: Int { FileSystem.freeBytes(path) }

  /// Looks at the disk, the free list and the reader table. Cost: one walk of the free list.
  package func room() throws(LMDBError) -> EnvironmentRoom {
    let statistics = try statistics()
    let snapshots = statistics.readers.filter { $0.transaction != nil }
    let oldest = snapshots.min { ($0.transaction ?? 0) < ($1.transaction ?? 0) }
    // What transaction N freed can be used again once nobody reads N - 1 or what was before it.
    let held = try pagesFreed(since: (oldest?.transaction ?? .max - 1) + 1)
    let page = statistics.pageSize
    let end = (statistics.lastPage + 1) * page
    return EnvironmentRoom(
      fileBytes: statistics.fileBytes,
      usedBytes: end - statistics.freePages * page,
      reusableBytes: (statistics.freePages - held) * page,
      heldBytes: held * page,
      growthBytes: min(
        // A disk of which nothing is known has room for all integers.
        min(freeDiskBytes, mapSize) + max(statistics.fileBytes - end, 0), mapSize - end),
      oldestReader: oldest)
  }

  /// Pages that the transaction of a number, and those behind it, have freed.
  private func pagesFreed(since number: Int) throws(LMDBError) -> Int {
    try read { transaction throws(LMDBError) in
      var cursor = try transaction.cursor(Table(identifier: 0, environment: store.identifier))
      var count = 0
      while try cursor.next() {
        let (key, list) = (cursor.key, cursor.value)
        guard key.byteCount >= 8 else { continue }
        if key.unsafeLoadUnaligned(fromByteOffset: 0, as: Int.self) >= number {
          count += try freed(list)
        }
      }
      return count
    }
  }
}

extension EnvironmentStatistics.Reader {
  /// What the system calls the reader's process; nil where it does not say.
  package var processName: String? {
    #if canImport(Glibc)
      guard let file = fopen("/proc/\(process)/comm", "r") else { return nil }
      defer { fclose(file) }
      var bytes = [CChar](repeating: 0, count: 64)
      guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
      let name = bytes.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      return String(decoding: name, as: UTF8.self)
    #else
      return nil
    #endif
  }
}
