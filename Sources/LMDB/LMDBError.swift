#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What went wrong in an environment, and what a person can do about it.
public struct LMDBError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The class of a failure. New codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case mapFull, diskFull, readersFull, damaged, incompatible, notFound, permission, busy
      case forked, reentrantWrite, closed, replaced, unusable, unsafeFilesystem, invalidArgument
      case outOfMemory, transactionFull, wrongThread, io
    }

    private let kind: Kind

    /// The data no longer fit the address space reserved for the map.
    public static let mapFull = Code(kind: .mapFull)
    /// The file system has no room left.
    public static let diskFull = Code(kind: .diskFull)
    /// Every slot of the reader table is taken by a living process.
    public static let readersFull = Code(kind: .readersFull)
    /// The data file is not, or no longer, what LMDB wrote.
    public static let damaged = Code(kind: .damaged)
    /// The data file was written by an LMDB with another file format.
    public static let incompatible = Code(kind: .incompatible)
    /// A file, directory or table does not exist.
    public static let notFound = Code(kind: .notFound)
    /// The file system refused access.
    public static let permission = Code(kind: .permission)
    /// Someone else is opening, closing or holding what was asked for.
    public static let busy = Code(kind: .busy)
    /// The environment was opened before a fork and used in the child.
    public static let forked = Code(kind: .forked)
    /// A write was started, or waited for, inside a write.
    public static let reentrantWrite = Code(kind: .reentrantWrite)
    /// A write transaction was used on another thread than its own.
    public static let wrongThread = Code(kind: .wrongThread)
    /// The environment has been closed.
    public static let closed = Code(kind: .closed)
    /// What was being written went into data that others were restored in place of.
    public static let replaced = Code(kind: .replaced)
    /// A failed write of the meta page or a dead lock holder; reopen the environment.
    public static let unusable = Code(kind: .unusable)
    /// The directory lies on a file system on which memory maps are not coherent.
    public static let unsafeFilesystem = Code(kind: .unsafeFilesystem)
    /// A key or value LMDB cannot hold, or a table of another environment.
    public static let invalidArgument = Code(kind: .invalidArgument)
    /// The system refused memory or address space.
    public static let outOfMemory = Code(kind: .outOfMemory)
    /// One transaction changed more pages than LMDB can track.
    public static let transactionFull = Code(kind: .transactionFull)
    /// The operating system reported another failure.
    public static let io = Code(kind: .io)

    public var description: String { kind.rawValue }
  }

  /// The class of the failure.
  public let code: Code
  /// What happened and how to remedy it, for a person.
  public let message: String
  /// The file or directory concerned.
  public let path: String?
  /// LMDB's return code or the system's error number, where there was one.
  public let resultCode: CInt?

  /// Whether the file system is one on which nobody writes.
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

/// An error type into which a failure of the environment can be turned.
///
/// Transactions run bodies that throw their caller's error type; this is how
/// a failure to begin or commit becomes one of those.
package protocol LMDBErrorConvertible: Error {
  init(_ error: LMDBError)
}

extension LMDBError: LMDBErrorConvertible {
  package init(_ error: LMDBError) {
    self = error
  }
}
