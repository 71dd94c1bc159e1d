public import FeedRecord
package import LMDB

/// A failure of a store of feeds, and how a person can remedy it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The class of a failure. New codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum CodeName: String {
      case busy, notFound, ioError, diskFull, damaged, incompatible, permission
      case conflict, replaced, invalidName, invalidKind, tooLarge, cancelled, limitExceeded, forked
      case misuse, unreachable
    }

    private let name: CodeName

    /// Another process or thread is ingesting or deleting the feed, or opening the store.
    public static let busy = Code(name: .busy)
    /// There is no such feed, or no store.
    public static let notFound = Code(name: .notFound)
    /// The operating system reported a failure.
    public static let ioError = Code(name: .ioError)
    /// The disk, or the address space for the map, is full. Nothing was changed.
    public static let diskFull = Code(name: .diskFull)
    /// The stored data are inconsistent.
    public static let damaged = Code(name: .damaged)
    /// A newer version of this library wrote the store.
    public static let incompatible = Code(name: .incompatible)
    /// The file system refused access.
    public static let permission = Code(name: .permission)
    /// The feed does not meet the condition of a change. Nothing was changed.
    public static let conflict = Code(name: .conflict)
    /// A restored store has replaced the one that was being read or written: start again.
    public static let replaced = Code(name: .replaced)
    /// The name is not valid for a feed.
    public static let invalidName = Code(name: .invalidName)
    /// The records have another kind or layout than the feed.
    public static let invalidKind = Code(name: .invalidKind)
    /// An image or its metadata are larger than allowed.
    public static let tooLarge = Code(name: .tooLarge)
    /// The operation was cancelled and left nothing behind.
    public static let cancelled = Code(name: .cancelled)
    /// A query has read more, or taken longer, than its caller allows.
    public static let limitExceeded = Code(name: .limitExceeded)
    /// The store was opened before a fork and then used in the child.
    public static let forked = Code(name: .forked)
    /// A call that violates the store's rules, such as a write inside a write.
    public static let misuse = Code(name: .misuse)
    /// No node of the cluster that holds the feed replies.
    public static let unreachable = Code(name: .unreachable)

    public var description: String { name.rawValue }
  }

  /// The class of the failure.
  public let code: Code
  /// What happened and how to remedy it, for a person.
  public let message: String
  /// The affected file or directory.
  public let path: String?
  /// The error of a lower layer that caused this one.
  public let cause: (any Error)?

  public init(_ code: Code, _ message: String, path: String? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.cause = cause
  }

  public var description: String {
    guard let path else { return message }
    return "\(path): \(message)"
  }
}

extension StoreError: LMDBErrorConvertible {
  package init(_ error: LMDBError) {
    self.init(Self.code(error.code), error.message, path: error.path, cause: error)
  }

  private static func code(_ code: LMDBError.Code) -> Code {
    switch code {
    case .diskFull, .mapFull: .diskFull
    case .damaged: .damaged
    case .incompatible: .incompatible
    case .notFound: .notFound
    case .permission: .permission
    case .busy, .readersFull: .busy
    case .replaced: .replaced
    case .forked: .forked
    case .cancelled: .cancelled
    case .reentrantWrite, .wrongThread, .closed, .invalidArgument: .misuse
    default: .ioError
    }
  }
}

extension StoreError {
  /// The error for an unreadable record or block.
  public init(_ error: RecordError) {
    self.init(error, path: nil)
  }

  init(_ error: RecordError, path: String?) {
    let code: Code = error.code == .unsupportedVersion ? .incompatible : .damaged
    self.init(code, error.message, path: path, cause: error)
  }

  /// The error for any error of the lower layers.
  package init(wrapping error: any Error, path: String? = nil) {
    switch error {
    case let error as StoreError: self = error
    case let error as LMDBError: self.init(error)
    case let error as RecordError: self.init(error, path: path)
    default: self.init(.ioError, "\(error)", path: path, cause: error)
    }
  }
}

extension StoreError {
  /// The error of opening a store, with a remedy if the store is damaged.
  var withRemedy: StoreError {
    guard code == .damaged else { return self }
    return StoreError(
      code,
      message
        + "; `feedcore store check` lists the damage, and its option --quarantine moves the store"
        + " aside; `feedcore store restore` or an ingest then creates it again",
      path: path, cause: cause)
  }
}
