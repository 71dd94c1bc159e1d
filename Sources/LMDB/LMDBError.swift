import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A failure of an environment, and how a person can remedy it.
public struct LMDBError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class of a failure. New codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case mapFull, diskFull, readersFull, damaged, incompatible, notFound, permission, busy
      case forked, reentrantWrite, closed, replaced, unusable, unsafeFilesystem, invalidArgument
      case outOfMemory, transactionFull, wrongThread, cancelled, io
    }

    private let kind: Kind

    /// The data no longer fit the address space reserved for the map.
    public static let mapFull = Code(kind: .mapFull)
    /// The file system is full.
    public static let diskFull = Code(kind: .diskFull)
    /// Live processes use every slot of the reader table.
    public static let readersFull = Code(kind: .readersFull)
    /// LMDB did not write the data file, or it has changed since.
    public static let damaged = Code(kind: .damaged)
    /// The data file was written by an LMDB with another file format.
    public static let incompatible = Code(kind: .incompatible)
    /// A file, directory or table does not exist.
    public static let notFound = Code(kind: .notFound)
    /// The file system refused access.
    public static let permission = Code(kind: .permission)
    /// Another process or thread is opening, closing or holding the resource.
    public static let busy = Code(kind: .busy)
    /// The environment was opened before a fork and then used in the child.
    public static let forked = Code(kind: .forked)
    /// A write was started, or waited for, inside a write.
    public static let reentrantWrite = Code(kind: .reentrantWrite)
    /// A write transaction was used on another thread.
    public static let wrongThread = Code(kind: .wrongThread)
    /// The environment has been closed.
    public static let closed = Code(kind: .closed)
    /// A restore replaced the data that were being written.
    public static let replaced = Code(kind: .replaced)
    /// A write of the meta page failed, or a lock holder died; reopen the environment.
    public static let unusable = Code(kind: .unusable)
    /// The directory lies on a file system without coherent memory maps.
    public static let unsafeFilesystem = Code(kind: .unsafeFilesystem)
    /// A key or value that LMDB cannot store, or a table of another environment.
    public static let invalidArgument = Code(kind: .invalidArgument)
    /// The system refused memory or address space.
    public static let outOfMemory = Code(kind: .outOfMemory)
    /// One transaction changed more pages than LMDB can track.
    public static let transactionFull = Code(kind: .transactionFull)
    /// A wait for another process was interrupted, because this one was asked to stop.
    public static let cancelled = Code(kind: .cancelled)
    /// The operating system reported another failure.
    public static let io = Code(kind: .io)

    public var description: String { kind.rawValue }
  }

  /// The class of the failure.
  public let code: Code
  /// What happened and how to remedy it, for a person.
  public let message: String
  /// The affected file or directory.
  public let path: String?
  /// LMDB's return code or the system's error number, if there is one.
  public let resultCode: CInt?

  /// Whether the file system is mounted read-only.
  package var isReadOnly: Bool { resultCode == EROFS }

  package init(_ code: Code, _ message: String, path: String?, resultCode: CInt? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.resultCode = resultCode
  }

  public var description: String {
    guard let path else { return message }
    return "\(path): \(message)"
  }
}

/// An error type that can represent a failure of the environment.
///
/// Transactions run bodies that throw their caller's error type. This initializer converts a
/// failure to begin or commit to that type.
package protocol LMDBErrorConvertible: Error {
  init(_ error: LMDBError)
}

extension LMDBError: LMDBErrorConvertible {
  package init(_ error: LMDBError) {
    self = error
  }
}

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
      (
        .mapFull,
        "the data fill the memory map; raise the address space limit (ulimit -v), "
          + "or reopen the store if its file system has grown"
      )
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
    case EAGAIN:
      // LMDB takes a lock for the number of the process before its first snapshot.
      (
        .busy,
        "a process in another PID namespace has the same number, \(getpid()), by which LMDB tells"
          + " readers apart; start this process with an init process (docker run --init), or let the"
          + " two share a PID namespace"
      )
    case EBUSY:
      (.busy, "another process is opening or closing it; try again")
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
