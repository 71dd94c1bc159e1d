import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The space an environment occupies, and its readers.
package struct EnvironmentStatistics: Hashable, Sendable {
  /// A slot of the reader table.
  package struct Reader: Hashable, Sendable {
    /// The process that owns the slot.
    package let process: Int
    /// The snapshot it reads; nil if it owns the slot but reads nothing.
    package let transaction: Int?
  }

  /// The size of the data file in bytes.
  package let fileBytes: Int
  /// The size of a page in bytes.
  package let pageSize: Int
  /// The number of the last page that was ever used.
  package let lastPage: Int
  /// The number of pages without committed data.
  package let freePages: Int
  /// The number of the last commit.
  package let lastTransaction: Int
  /// The used slots of all processes.
  package let readers: [Reader]
}

extension Environment {
  /// Reads the file size, the free list and the reader table. Cost: one walk of the free list.
  package func statistics() throws(LMDBError) -> EnvironmentStatistics {
    try read { transaction throws(LMDBError) in
      let handle = mdb_txn_env(transaction.handle)
      var information = MDB_envinfo()
      var page = MDB_stat()
      var descriptor: CInt = -1
      mdb_env_info(handle, &information)
      mdb_env_stat(handle, &page)
      mdb_env_get_fd(handle, &descriptor)
      return EnvironmentStatistics(
        fileBytes: try FileSystem.size(ofDescriptor: descriptor, path: path),
        pageSize: Int(page.ms_psize),
        lastPage: information.me_last_pgno,
        freePages: try freePages(transaction),
        lastTransaction: information.me_last_txnid,
        readers: ReaderSlots.all(handle))
    }
  }

  /// LMDB's free list is its table 0. Each value is a list of freed pages that starts with its
  /// length.
  private func freePages(_ transaction: borrowing ReadTransaction) throws(LMDBError) -> Int {
    var cursor = try transaction.cursor(Table(identifier: 0, environment: store.identifier))
    var count = 0
    while try cursor.next() { count += try freed(cursor.value) }
    return count
  }

  /// The number of pages in one entry of the free list.
  func freed(_ list: RawSpan) throws(LMDBError) -> Int {
    guard list.byteCount >= 8 else { return 0 }
    let count = list.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
    guard count < list.byteCount / 8 else {
      throw LMDBError(.damaged, "its free list is damaged; restore a backup", path: path)
    }
    return Int(count)
  }
}

/// Where the next write can get its pages, and which reader keeps pages from being reused.
package struct EnvironmentSpace: Hashable, Sendable {
  /// The size of the data file in bytes.
  package let fileBytes: Int
  /// Bytes of the file that committed data occupy.
  package let usedBytes: Int
  /// Bytes of replaced pages that no reader sees.
  package let reusableBytes: Int
  /// Bytes of replaced pages that the oldest reader keeps from being reused.
  package let pinnedBytes: Int
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
  package func space() throws(LMDBError) -> EnvironmentSpace {
    let statistics = try statistics()
    let snapshots = statistics.readers.filter { $0.transaction != nil }
    let oldest = snapshots.min { ($0.transaction ?? 0) < ($1.transaction ?? 0) }
    // Pages that transaction N freed are reusable once no reader sees N - 1 or an earlier one.
    let pinned = try pagesFreed(since: (oldest?.transaction ?? .max - 1) + 1)
    let page = statistics.pageSize
    let end = (statistics.lastPage + 1) * page
    return EnvironmentSpace(
      fileBytes: statistics.fileBytes,
      usedBytes: end - statistics.freePages * page,
      reusableBytes: (statistics.freePages - pinned) * page,
      pinnedBytes: pinned * page,
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
