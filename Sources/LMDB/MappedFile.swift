import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One open data file: what an environment stands on until another one takes its place.
///
/// `@unchecked Sendable`: the handle is set once, and LMDB allows its use from any thread. What
/// changes is reached under the lock of the store that owns the file.
final class MappedFile: @unchecked Sendable {
  let handle: OpaquePointer
  let identity: FileSystem.Identity
  let mapSize: Int
  let tables: [String: UInt32]
  /// What a restore changes and a compaction keeps.
  let lineage: UInt64
  /// Who still uses the file after it was replaced; under the store's lock.
  var users = 0
  /// Those among its users who wait for a larger map, outside the one there is; under that lock too.
  var waiting = 0
  /// Whether its name is known to survive a power cut; for who writes.
  var isPlaced = false
  /// How often it was mapped anew.
  private(set) var mappings = 0

  init(_ opened: OpenedHandle, path: String, tables: [String]) throws(LMDBError) {
    handle = opened.handle
    identity = opened.file
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

  /// Gives the mapping a number that none had before. Nobody may read from it meanwhile.
  private func numberMapping() {
    // Nobody follows it as an address: it tells a transaction's mapping from all others.
    let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    mdb_env_set_userctx(handle, UnsafeMutableRawPointer(bitPattern: number))
  }

  /// Maps the file anew, with room for what another process has written and as much again; returns
  /// LMDB's code. Nobody of this process may be in the map.
  func adoptMapSize() -> CInt {
    var information = MDB_envinfo()
    var page = MDB_stat()
    mdb_env_info(handle, &information)
    mdb_env_stat(handle, &page)
    let used = (information.me_last_pgno + 1) * Int(page.ms_psize)
    // LMDB gives its map up first, and has none where it then gets no other.
    let size = [max(mapSize, 2 * used), used + Self.leastRoom].first(where: Self.canMap)
    guard let size else { return ENOMEM }
    let code = mdb_env_set_mapsize(handle, size)
    mappings += code == 0 ? 1 : 0
    numberMapping()
    return code
  }

  /// What a map has to have beyond what is used, to be worth the making.
  private static let leastRoom = 16 << 20

  private static func canMap(_ size: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    guard let address = mmap(nil, size, PROT_NONE, flags, -1, 0), address != MAP_FAILED else {
      return false
    }
    munmap(address, size)
    return true
  }

  /// Frees the reader slots of processes that are gone; returns how many there were.
  func checkReaders() -> Int {
    var dead: CInt = 0
    return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
  }

  /// Ends the environment. Nobody may use it any more.
  func close() { mdb_env_close(handle) }
}
