import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A newly opened `MDB_env` of a directory.
struct OpenedHandle {
  let handle: OpaquePointer
  let mapSize: Int
  let file: FileSystem.Identity
  /// The lock file; nil if LMDB works without one.
  let lock: FileSystem.Identity?

  private static let minimumMapSize = 1 << 30
  private static let defaultMapSizes = 1 << 34...1 << 40
  private static let attempts = 5

  /// Opens the environment, with a smaller map if the system refuses the address space.
  ///
  /// Concurrent closing and opening can fail in LMDB, which then asks for a retry. A few attempts
  /// are enough.
  ///
  /// - Parameter timeout: how long to wait for a writer if the lock file has to be created; nil for
  ///   the timeout of writes
  static func open(
    _ directory: String, _ configuration: Environment.Configuration, timeout: Duration? = nil
  ) throws(LMDBError) -> OpenedHandle {
    let timeout = timeout ?? configuration.writerTimeout
    var mapSize = configuration.mapSize ?? defaultMapSize(for: directory)
    var attempt = 0
    while true {
      let writers = try excludeWriters(of: directory, timeout)
      defer { writers?.release() }
      try allocateLock(directory, configuration)
      let before = try FileSystem.identity(of: directory)
      let lock = try lockIdentity(in: directory)
      let (code, handle) = open(directory, configuration, mapSize: mapSize)
      if code == 0, let handle {
        // The lock file of one directory with the data file of another would exclude no process.
        let isSame = try FileSystem.identity(of: directory) == before
        // Where blocks cannot be allocated, LMDB has created the lock file.
        let opened = try lockIdentity(in: directory)
        if isSame, lock == nil || opened == lock {
          // Its close frees the slots.
          if try ReaderSlots.hasAbandoned(handle, directory), attempt < attempts {
            mdb_env_close(handle)
            attempt += 1
            continue
          }
          return try OpenedHandle(handle, mapSize: mapSize, lock: opened, directory: directory)
        }
        mdb_env_close(handle)
      }
      // With too little address space `mmap` fails with ENOMEM, or with EINVAL under valgrind.
      if code == ENOMEM || code == EINVAL, mapSize / 2 >= minimumMapSize {
        mapSize /= 2
      } else if code == EAGAIN || code == 0, attempt < attempts {
        attempt += 1
        usleep(UInt32(1000 << attempt))
      } else {
        throw LMDBError(
          resultCode: code == 0 || code == EAGAIN ? EBUSY : code, doing: "open the store",
          path: directory)
      }
    }
  }

  /// Excludes writers if the lock file does not exist, as after it was removed.
  ///
  /// From a new lock file LMDB learns the number of the last commit, and does not look again. A
  /// process that still has the old one must not commit meanwhile. Its next write finds the new one.
  private static func excludeWriters(
    of directory: String, _ timeout: Duration
  ) throws(LMDBError) -> WriterLock? {
    guard try lockIdentity(in: directory) == nil,
      var writers = WriterLock(directory, nil, .shared)
    else { return nil }
    try writers.acquire(WriterLock.Wait(timeout: timeout))
    return writers
  }

  /// The identity of the lock file in a directory; nil if there is none.
  static func lockIdentity(in directory: String) throws(LMDBError) -> FileSystem.Identity? {
    try FileSystem.identity(of: directory + "/" + DataFile.lockName)
  }

  /// Returns the power of two that covers the file system, within bounds.
  ///
  /// A process has 128 TiB of address space. Maps of 1 TiB each would be refused from the 128th
  /// store on, and nothing would be left for the process's memory.
  private static func defaultMapSize(for directory: String) -> Int {
    let total = FileSystem.totalBytes(directory)
    let needed = min(max(total, defaultMapSizes.lowerBound), defaultMapSizes.upperBound)
    return 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
  }

  /// Allocates all blocks of the lock file. LMDB creates it sparse and writes it through a map. On
  /// a full disk that would end the process by SIGBUS.
  ///
  /// Closing a descriptor of the file drops all `fcntl` locks of this process on it. No environment
  /// with this lock file may be open in this process.
  static func allocateLock(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) {
    let path = directory + "/" + DataFile.lockName
    let status = try FileSystem.status(of: path)
    // A header and 64 bytes per reader. The creator of an existing file has decided the number of
    // readers.
    let size = max(Int(status?.st_size ?? 0), configuration.maximumReaders * 64 + 128)
    // The unit of `st_blocks` is 512 bytes on every system.
    let allocated = Int(status?.st_blocks ?? 0) * 512
    if allocated >= size { return }
    let mode = configuration.sharing.lockMode
    var code = feedcore_allocate(path, Int64(size), mode)
    if code == ENOSPC {
      // What killed processes left next to it may be as large as the store.
      TemporaryDirectories(of: directory).removeAbandoned()
      code = feedcore_allocate(path, Int64(size), mode)
    }
    // A partly allocated file serves the first readers, and a store on a full disk must stay
    // readable.
    guard code == ENOSPC || code == EOPNOTSUPP, allocated == 0 else { return }
    if code == ENOSPC || FileSystem.freeBytes(directory) < size {
      throw LMDBError.system(ENOSPC, doing: "create the lock file", path: directory)
    }
  }

  private init(
    _ handle: OpaquePointer, mapSize: Int, lock: FileSystem.Identity?, directory: String
  ) throws(LMDBError) {
    self.handle = handle
    self.mapSize = mapSize
    self.lock = lock
    var descriptor: CInt = -1
    do throws(LMDBError) {
      let code = mdb_env_get_fd(handle, &descriptor)
      guard code == 0 else {
        throw LMDBError(resultCode: code, doing: "open the store", path: directory)
      }
      // LMDB lets started programs inherit the descriptor. If they wrote to it by mistake, the data
      // would go into the store.
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let status = try FileSystem.status(ofDescriptor: descriptor, path: directory)
      file = FileSystem.Identity(status)
    } catch {
      mdb_env_close(handle)
      throw error
    }
  }

  private static func open(
    _ directory: String, _ configuration: Environment.Configuration, mapSize: Int
  ) -> (CInt, OpaquePointer?) {
    var created: OpaquePointer?
    var code = mdb_env_create(&created)
    guard code == 0, let handle = created else { return (code, nil) }
    // MDB_NORDAHEAD is not set. Values are blocks of many pages that are read whole, because their
    // checksum covers all of them. The kernel therefore reads ahead what is needed next, even in a
    // single lookup.
    var flags = MDB_NOTLS
    if configuration.durability == .cache { flags |= MDB_NOMETASYNC }
    // A member of the group can only read the data file, and on a read-only disk every user can
    // only read. LMDB works without its lock file there.
    let mayWrite =
      access(directory + "/" + DataFile.name, W_OK) == 0 || (errno != EACCES && errno != EROFS)
    if !mayWrite { flags |= MDB_RDONLY }
    code = mdb_env_set_maxreaders(handle, UInt32(clamping: configuration.maximumReaders))
    if code == 0 {
      code = mdb_env_set_maxdbs(handle, UInt32(clamping: configuration.tables.count))
    }
    if code == 0 { code = mdb_env_set_mapsize(handle, mapSize) }
    if code == 0 {
      code = mdb_env_open(
        handle, directory, UInt32(flags), mdb_mode_t(configuration.sharing.dataMode))
    }
    if code == 0 {
      // Readers that were killed while another process had it open may occupy all slots.
      code = mdb_reader_check(handle, nil)
    }
    if code == 0 { return (0, handle) }
    mdb_env_close(handle)
    return (code, nil)
  }
}
