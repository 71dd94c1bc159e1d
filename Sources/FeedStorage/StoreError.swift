/// What went wrong in a store of feeds, and what a person can do about it.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The class of a failure. New codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case busy, notFound, ioError, diskFull, damaged, incompatible, permission
      case conflict, replaced, invalidName, invalidKind, tooLarge, cancelled, forked, misuse
    }

    private let kind: Kind

    /// Someone else is ingesting or deleting the feed, or opening the store.
    public static let busy = Code(kind: .busy)
    /// There is no such feed, or no store.
    public static let notFound = Code(kind: .notFound)
    /// The operating system reported a failure.
    public static let ioError = Code(kind: .ioError)
    /// The disk, or the address space for the map, is full. Nothing was changed.
    public static let diskFull = Code(kind: .diskFull)
    /// What is stored contradicts itself.
    public static let damaged = Code(kind: .damaged)
    /// A newer version of this library wrote the store.
    public static let incompatible = Code(kind: .incompatible)
    /// The file system refused access.
    public static let permission = Code(kind: .permission)
    /// The feed is not what a conditional change wanted it to be. Nothing was changed.
    public static let conflict = Code(kind: .conflict)
    /// A restored store has taken the place of the one that was being read or written: begin again.
    public static let replaced = Code(kind: .replaced)
    /// A feed cannot have this name.
    public static let invalidName = Code(kind: .invalidName)
    /// Records of another kind or layout than those of the feed.
    public static let invalidKind = Code(kind: .invalidKind)
    /// An image, or what is told of it, is larger than the store takes.
    public static let tooLarge = Code(kind: .tooLarge)
    /// The work was given up as asked; nothing of it is left.
    public static let cancelled = Code(kind: .cancelled)
    /// The store was opened before a fork and used in the child.
    public static let forked = Code(kind: .forked)
    /// A call that the store's rules forbid, such as a write inside a write.
    public static let misuse = Code(kind: .misuse)

    public var description: String { kind.rawValue }
  }

  /// The class of the failure.
  public let code: Code
  /// What happened and how to remedy it, for a person.
  public let message: String
  /// The file or directory concerned.
  public let path: String?
  /// The error of a lower room that led to this one.
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
