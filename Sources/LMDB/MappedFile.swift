import CLMDB
import Synchronization

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

  /// Maps the file anew, as large as another process has made it; returns LMDB's code. Nobody of
  /// this process may be in the map.
  func adoptMapSize() -> CInt {
    let code = mdb_env_set_mapsize(handle, 0)
    // Where it failed there may be another mapping too.
    numberMapping()
    return code
  }

  /// Frees the reader slots of processes that are gone; returns how many there were.
  func checkReaders() -> Int {
    var dead: CInt = 0
    return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
  }

  /// Ends the environment. Nobody may use it any more.
  func close() { mdb_env_close(handle) }
}
