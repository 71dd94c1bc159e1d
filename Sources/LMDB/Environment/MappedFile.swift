import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One open data file; an environment uses it until another one replaces it.
///
/// `@unchecked Sendable`: the handle is set once, and LMDB allows its use from any thread. Mutable
/// state is accessed under the lock of the store that owns the file.
final class MappedFile: @unchecked Sendable {
  let handle: OpaquePointer
  let identity: FileSystem.Identity
  /// The lock file that is open; nil if LMDB works without one.
  let lock: FileSystem.Identity?
  let mapSize: Int
  let tables: [String: UInt32]
  /// Changed by a restore, kept by a compaction.
  let lineage: UInt64
  /// The number of remaining uses after the file was replaced; protected by the store's lock.
  var users = 0
  /// Whether the same file was opened again with another lock file; protected by the same lock.
  var isSuperseded = false
  /// The number of its users that wait outside the map for a larger one; protected by the same
  /// lock.
  var waiting = 0
  /// Whether the file's name is known to survive a power cut; used by the writer.
  var isNameDurable = false
  /// Excludes the writers of other processes; used by the writer.
  var writerLock: WriterLock?
  /// The number of times the file was remapped.
  private(set) var mappings = 0

  init(_ opened: OpenedHandle, path: String, tables: [String]) throws(LMDBError) {
    handle = opened.handle
    identity = opened.file
    lock = opened.lock
    mapSize = opened.mapSize
    do throws(LMDBError) {
      self.tables = try TableOpening.open(tables, in: opened.handle, path: path)
      lineage = try ReplacementRecord.lineage(in: opened.handle, path: path)
    } catch {
      mdb_env_close(opened.handle)
      throw error
    }
    numberMapping()
  }

  private static let lastNumber = Atomic<UInt>(0)

  /// Gives the mapping a new unique number. No thread may read from the mapping meanwhile.
  private func numberMapping() {
    // The pointer is never dereferenced. It only distinguishes a transaction's mapping from all
    // others.
    let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    mdb_env_set_userctx(handle, UnsafeMutableRawPointer(bitPattern: number))
  }

  /// Remaps the file with space for what another process has written, and as much again; returns
  /// LMDB's code. No thread of this process may be using the map.
  func adoptMapSize() -> CInt {
    var information = MDB_envinfo()
    var page = MDB_stat()
    mdb_env_info(handle, &information)
    mdb_env_stat(handle, &page)
    let used = (information.me_last_pgno + 1) * Int(page.ms_psize)
    // LMDB unmaps first, and has no map if mapping fails afterwards. So the size is tested before.
    let size = [max(mapSize, 2 * used), used + Self.minimumGrowth].first(where: Self.canMap)
    guard let size else { return ENOMEM }
    let code = mdb_env_set_mapsize(handle, size)
    mappings += code == 0 ? 1 : 0
    numberMapping()
    return code
  }

  /// The minimum space that a new map must have beyond the used part.
  private static let minimumGrowth = 16 << 20

  private static func canMap(_ size: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    guard let address = mmap(nil, size, PROT_NONE, flags, -1, 0), address != MAP_FAILED else {
      return false
    }
    munmap(address, size)
    return true
  }

  /// The number of the last commit to the file. LMDB has it from the lock file too. A commit in
  /// progress makes the two differ for a moment, and commits with another lock file for good.
  static func lastCommit(of handle: OpaquePointer?) -> Int {
    var information = MDB_envinfo()
    mdb_env_info(handle, &information)
    return information.me_last_txnid
  }

  /// Frees the reader slots of dead processes; returns their number.
  func checkReaders() -> Int {
    var dead: CInt = 0
    return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
  }

  /// Closes the environment, which must not be used afterwards.
  func close() { mdb_env_close(handle) }
}
