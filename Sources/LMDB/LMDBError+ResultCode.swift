import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LMDBError {
  /// The error for a return code of LMDB, which may be an error number.
  ///
  /// - Parameters:
  ///   - resultCode: the nonzero result of an `mdb_` function
  ///   - action: the action, such as "commit"
  ///   - path: the environment's directory
  init(resultCode: CInt, doing action: String, path: String) {
    if resultCode > 0 {
      self = .system(resultCode, doing: action, path: path)
      return
    }
    let (code, remedy) = Self.meaning(ofResultCode: resultCode)
    self.init(
      code, "cannot \(action): \(remedy)", path: path, resultCode: resultCode)
  }

  /// The error for an error number of the operating system.
  ///
  /// A short write on a full disk arrives as `EIO`. The free space of the file system distinguishes
  /// it.
  static func system(_ number: CInt, doing action: String, path: String) -> LMDBError {
    var (code, remedy) = meaning(ofErrorNumber: number)
    if number == EIO, FileSystem.isFull(path) {
      (code, remedy) = meaning(ofErrorNumber: ENOSPC)
    }
    return LMDBError(
      code, "cannot \(action): \(remedy)", path: path, resultCode: number)
  }

  private static func meaning(ofResultCode resultCode: CInt) -> (Code, String) {
    switch resultCode {
    case MDB_NOTFOUND:
      (.notFound, "no such entry")
    case MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_INVALID:
      (.damaged, "the data file is damaged; restore it or delete the directory and ingest again")
    case MDB_VERSION_MISMATCH:
      (.incompatible, "the data file was written by another version of LMDB; use that version")
    case MDB_PANIC:
      (.unusable, "an earlier write failed half way; close everything and open it again")
    case MDB_MAP_FULL:
      (.mapFull, "the data fill the memory map; raise the address space limit (ulimit -v)")
    case MDB_MAP_RESIZED:
      (.busy, "another process enlarged the map while it is in use here; try again")
    case MDB_READERS_FULL:
      (.readersFull, "every reader slot is taken; end some of the processes that read this store")
    case MDB_TXN_FULL:
      (.transactionFull, "too many pages changed in one transaction; write in smaller ones")
    case MDB_BAD_VALSIZE:
      (.invalidArgument, "a key is empty or longer than 511 bytes, or a value is too large")
    case MDB_KEYEXIST:
      (.invalidArgument, "the key exists already")
    case MDB_BAD_TXN, MDB_BAD_RSLOT, MDB_BAD_DBI, MDB_INCOMPATIBLE:
      (.invalidArgument, "the transaction or table cannot be used any more")
    default:
      (.io, text(mdb_strerror(resultCode)))
    }
  }

  private static func meaning(ofErrorNumber number: CInt) -> (Code, String) {
    switch number {
    case ENOSPC, EDQUOT:
      (.diskFull, "the disk is full; free some space and try again")
    case EROFS:
      (.permission, "the file system is mounted read-only; mount it writable, or use a copy")
    case EACCES, EPERM:
      (.permission, "permission denied; the directory and its files must be writable by this user")
    case ENOENT:
      (.notFound, "no such file or directory")
    case ENOTDIR:
      (.notFound, "a file is where a directory has to be")
    case EAGAIN, EBUSY:
      (.busy, "another process is opening or closing it, or runs in another PID namespace")
    case ENOMEM:
      (.outOfMemory, "the system refused memory or address space (see ulimit -v)")
    case EINVAL:
      (.invalidArgument, "the request does not make sense to LMDB")
    default:
      (.io, text(strerror(number)))
    }
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? "unknown error"
  }
}
