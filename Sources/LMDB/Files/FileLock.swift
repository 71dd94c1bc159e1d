import CLMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An advisory lock on one byte of a lock file, held as long as the object and its process live.
///
/// These are open file description locks: two objects exclude each other within a process too. The
/// file is closed on exec. It is never unlinked, because two processes could then lock different
/// files of the same name.
package final class FileLock: Sendable {
  /// Which locks on a byte may coexist.
  package enum Kind: Sendable {
    /// Any number of shared locks, no exclusive one.
    case shared
    /// No other lock.
    case exclusive
  }

  private let descriptor: LockDescriptor?

  /// A shared lock that locks nothing, for file systems on which no process can write.
  package static let unneeded = FileLock(nil)

  /// Locks a byte without waiting; returns nil if another holder has it.
  ///
  /// On a read-only file system a shared lock needs no file, because there is no writer to exclude.
  ///
  /// - Parameters:
  ///   - path: the lock file, created if it does not exist
  ///   - byte: the byte to lock; it need not exist in the file
  ///   - namesHolder: whether ``holder(of:byte:)`` finds this process. The lock then covers the
  ///     bytes that follow, too.
  ///   - sharing: which other users may use a new file
  package static func acquire(
    _ path: String, _ kind: Kind, byte: Int64 = 0, namesHolder: Bool = false,
    _ sharing: Sharing = .owner
  ) throws(LMDBError) -> FileLock? {
    guard let opened = try openFile(path, kind, sharing) else { return unneeded }
    let isLocked = try lock(opened, kind, byte: byte, namesHolder: namesHolder, path: path)
    return isLocked ? FileLock(opened) : nil
  }

  /// The other process that has locked a byte and named itself; nil if none has.
  package static func holder(of path: String, byte: Int64 = 0) -> Int32? {
    guard let opened = try? openFile(path, .shared, .owner) else { return nil }
    return holder(of: opened, byte: byte)
  }

  static func holder(of file: LockDescriptor, byte: Int64) -> Int32? {
    let process = feedcore_lock_length(file.number, byte) - 1
    // With the number of this process it is in another PID namespace.
    return process > 0 && process != getpid() ? Int32(exactly: process) : nil
  }

  /// The holder of a lock in a message.
  package static func name(ofHolder process: Int32?) -> String {
    process.map { "process \($0)" } ?? "another process"
  }

  /// What a person can do about the holder of a lock.
  package static func remedy(forHolder process: Int32?) -> String {
    guard let process else { return "let it finish, or wait longer" }
    return "continue it if it is stopped (kill -CONT \(process)), end it, or wait longer"
  }

  /// Opens a lock file; nil if no process can write on its file system.
  static func openFile(
    _ path: String, _ kind: Kind, _ sharing: Sharing
  ) throws(LMDBError) -> LockDescriptor? {
    let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
    var isNew = false
    let opened = LockDescriptor {
      var descriptor = open(path, flags)
      isNew = descriptor < 0 && errno == ENOENT
      if isNew { descriptor = open(path, flags | O_CREAT, 0o600) }
      if descriptor < 0, errno == EROFS, kind == .shared {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        // The file does not exist, so no process can hold it.
        if descriptor < 0, errno == ENOENT { errno = EROFS }
      }
      return descriptor
    } unlock: { descriptor in
      // A length of zero reaches to the end of the file and beyond.
      _ = feedcore_lock_range(descriptor, CInt(F_UNLCK), 0, 0)
    }
    guard let opened else {
      if errno == EROFS, kind == .shared { return nil }
      throw .system(errno, doing: "open the lock file", path: path)
    }
    // Independent of the umask. Two concurrent creators do the same.
    if isNew, sharing == .group || isGroups(FileSystem.parent(of: path)) {
      fchmod(opened.number, mode_t(Sharing.group.lockMode))
    }
    return opened
  }

  /// Locks a byte without waiting; returns false if another holder has it.
  ///
  /// The system does not report the holder of such a lock, but it reports the lock's length. So the
  /// length is the process number plus one, and no process has to write its number.
  static func lock(
    _ file: LockDescriptor, _ kind: Kind, byte: Int64, namesHolder: Bool = false, path: String
  ) throws(LMDBError) -> Bool {
    let type = kind == .shared ? F_RDLCK : F_WRLCK
    let length = namesHolder ? Int64(getpid()) + 1 : 1
    let code = feedcore_lock_range(file.number, CInt(type), byte, length)
    if code == 0 { return true }
    if code == EAGAIN || code == EACCES { return false }
    throw .system(code, doing: "lock it", path: path)
  }

  static func unlock(_ file: LockDescriptor, byte: Int64, namesHolder: Bool = false) {
    let length = namesHolder ? Int64(getpid()) + 1 : 1
    _ = feedcore_lock_range(file.number, CInt(F_UNLCK), byte, length)
  }

  /// Whether a group shares the directory, whatever options opened the store in it.
  private static func isGroups(_ directory: String?) -> Bool {
    guard let directory, let status = try? FileSystem.status(of: directory) else { return false }
    return UInt32(status.st_mode) & 0o7777 == Sharing.group.directoryMode
  }

  private init(_ descriptor: LockDescriptor?) { self.descriptor = descriptor }

  /// Creates the directory for lock files and its missing parents.
  package static func createDirectory(
    _ path: String, _ sharing: Sharing = .owner
  ) throws(LMDBError) {
    let isNew = sharing == .group && access(path, F_OK) != 0
    try FileSystem.createDirectories(path)
    if isNew { try FileSystem.setMode(sharing.directoryMode, of: path) }
  }
}

extension Duration {
  /// The duration in a message, such as "30 seconds".
  package var secondsText: String {
    let (seconds, rest) = components
    let tenths = rest / 100_000_000_000_000_000
    let number = tenths == 0 ? "\(seconds)" : "\(seconds).\(tenths)"
    return number == "1" ? "1 second" : "\(number) seconds"
  }
}

/// An open file that holds a lock as long as this object and its process live.
///
/// Such a lock lasts as long as any process has that open file. A forked child that does not know
/// of it would keep the lock after its parent has ended. A child therefore closes it at once.
final class LockDescriptor: Sendable {
  /// All descriptors of this process; `ForkGuard` holds the monitor across a fork.
  static let all: Monitor<Set<CInt>> = {
    // If the system refuses the fork handler, no store opens.
    ForkGuard.install()
    return Monitor([])
  }()

  /// Must be called in a forked child.
  static func closeAll() {
    all.withLock { descriptors in
      for descriptor in descriptors { close(descriptor) }
      descriptors.removeAll(keepingCapacity: true)
    }
  }

  let number: CInt
  private let unlock: @Sendable (CInt) -> Void
  private let owner = getpid()

  /// Nil if the file cannot be opened; `errno` has the reason.
  ///
  /// - Parameters:
  ///   - open: runs under a lock, so that no fork happens between it and the registration
  ///   - unlock: releases the lock, if it was taken
  init?(_ open: () -> CInt, unlock: @escaping @Sendable (CInt) -> Void) {
    let (number, code) = Self.all.withLock { descriptors in
      let number = open()
      let code = errno
      if number >= 0 { descriptors.insert(number) }
      return (number, code)
    }
    guard number >= 0 else {
      errno = code
      return nil
    }
    self.number = number
    self.unlock = unlock
  }

  deinit {
    // A child has already closed it.
    guard getpid() == owner else { return }
    // Closing the file does not unlock it while another process has it open, such as a child that
    // another thread has just forked and that has not reached its exec.
    unlock(number)
    Self.all.withLock { descriptors in
      descriptors.remove(number)
      _ = close(number)
    }
  }
}
