import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where the next write can get its pages, and which reader keeps pages from being reused.
package struct EnvironmentRoom: Hashable, Sendable {
  /// The size of the data file in bytes.
  package let fileBytes: Int
  /// Bytes of the file that committed data occupy.
  package let usedBytes: Int
  /// Bytes of replaced pages that no reader sees.
  package let reusableBytes: Int
  /// Bytes of replaced pages that the oldest reader keeps from being reused.
  package let heldBytes: Int
  /// The number of bytes by which the file can grow, limited by disk and map.
  package let growthBytes: Int
  /// The reader of the oldest snapshot; nil if there are no readers.
  package let oldestReader: EnvironmentStatistics.Reader?
}

extension Environment {
  /// The number of bytes by which the disk lets the file grow. One system call.
  package var freeDiskBytes: Int { FileSystem.freeBytes(path) }

  /// Reads the disk's free space, the free list and the reader table. Cost: one walk of the free
  /// list.
  package func room() throws(LMDBError) -> EnvironmentRoom {
    let statistics = try statistics()
    let snapshots = statistics.readers.filter { $0.transaction != nil }
    let oldest = snapshots.min { ($0.transaction ?? 0) < ($1.transaction ?? 0) }
    // Pages that transaction N freed are reusable once no reader sees N - 1 or an earlier one.
    let held = try pagesFreed(since: (oldest?.transaction ?? .max - 1) + 1)
    let page = statistics.pageSize
    let end = (statistics.lastPage + 1) * page
    return EnvironmentRoom(
      fileBytes: statistics.fileBytes,
      usedBytes: end - statistics.freePages * page,
      reusableBytes: (statistics.freePages - held) * page,
      heldBytes: held * page,
      growthBytes: min(
        // The free space is `Int.max` if it is unknown.
        min(freeDiskBytes, mapSize) + max(statistics.fileBytes - end, 0), mapSize - end),
      oldestReader: oldest)
  }

  /// The number of pages freed by the transaction with a number and by later ones.
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
  /// The system's name for the reader's process; nil if unknown.
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
