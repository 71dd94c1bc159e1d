import CLMDB
import Synchronization

/// One open data file: what an environment stands on until another one takes its place.
///
/// `@unchecked Sendable`: the handle is set once, and LMDB allows its use from any thread. What
/// changes is reached under the lock of the store that owns the file.
final class MappedFile: @unchecked Sendable {
  /// A reset transaction, which may move to another thread under `MDB_NOTLS`.
  struct Reader: @unchecked Sendable {
    let handle: OpaquePointer
  }

  static let pooledReaders = 16

  let handle: OpaquePointer
  let identity: FileSystem.Identity
  let mapSize: Int
  let tables: [String: UInt32]
  /// What a restore changes and a compaction keeps.
  let lineage: UInt64
  /// The last commit in which somebody looked for a record of replacement.
  let lastSeen = Atomic<Int>(-1)

  /// Who is using the handle right now; under the store's lock, as is what follows.
  var users = 0
  var idle: [Reader] = []
  /// How often a snapshot was taken.
  var snapshots: UInt = 0

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
    idle.reserveCapacity(Self.pooledReaders)
    // A number, which nobody follows as an address: it tells a transaction's file from all others.
    let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    mdb_env_set_userctx(handle, UnsafeMutableRawPointer(bitPattern: number))
  }

  private static let lastNumber = Atomic<UInt>(0)

  /// Frees the reader slots of processes that are gone; returns how many there were.
  func checkReaders() -> Int {
    var dead: CInt = 0
    return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
  }

  /// Ends the pooled readers and the environment. Nobody may use it any more.
  func close() {
    for reader in idle { mdb_txn_abort(reader.handle) }
    idle = []
    mdb_env_close(handle)
  }
}
