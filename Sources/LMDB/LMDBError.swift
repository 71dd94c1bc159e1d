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
      case outOfMemory, transactionFull, wrongThread, io
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
