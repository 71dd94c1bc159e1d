import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The temporary directories next to an environment's own, in which processes create and replace
/// it.
///
/// Each name contains the environment and the purpose. The working process locks the directory, so
/// the leftovers of a killed process can be recognised.
struct TemporaryDirectories {
  enum Purpose: String, CaseIterable {
    /// A new environment that is not complete yet.
    case creating
    /// A replacement that is not complete yet, or what was replaced.
    case replacing
    /// The old directory, if the system cannot exchange two names atomically.
    case replaced
  }

  private let directory: String
  private let parent: String
  private let base: String

  init(of directory: String) {
    self.directory = directory
    parent = FileSystem.parent(of: directory) ?? "."
    base = directory.split(separator: "/").last.map(String.init) ?? directory
  }

  /// A new unique path.
  func path(_ purpose: Purpose) -> String {
    "\(directory).\(purpose.rawValue).\(getpid()).\(UInt32.random(in: .min ... .max))"
  }

  /// Creates an empty directory, which belongs to the caller as long as it keeps the lock.
  func make(_ purpose: Purpose) throws(LMDBError) -> LockedDirectory {
    // Between creation and locking it can be mistaken for an abandoned one.
    for _ in 0..<100 {
      let path = path(purpose)
      try FileSystem.createDirectories(path)
      if let locked = LockedDirectory(path) { return locked }
      FileSystem.removeDirectory(path)
    }
    throw LMDBError(.io, "a temporary directory next to it cannot be locked", path: directory)
  }

  /// Removes the directories that no process works on.
  ///
  /// A replaced one is removed only if the environment is at its path.
  func removeAbandoned() {
    let exists = (try? DataFile(in: directory)) != nil
    for purpose in Purpose.allCases where purpose != .replaced || exists {
      forEachAbandoned(purpose) { path in
        FileSystem.removeDirectory(path)
        return true
      }
    }
  }

  /// Whether a process is, or was when it was killed, between the two renames of a replacement.
  var isBeingReplaced: Bool { !paths(.replaced).isEmpty }

  /// Moves back what a process was replacing when it was killed between two renames.
  func restoreReplaced() {
    forEachAbandoned(.replaced) { path in
      (try? FileSystem.rename(path, to: directory)) == nil
    }
  }

  private func paths(_ purpose: Purpose) -> [String] {
    let prefix = "\(base).\(purpose.rawValue)."
    return FileSystem.names(in: parent).filter { $0.hasPrefix(prefix) }.map { parent + "/" + $0 }
  }

  /// Locks each path that no process has locked, and calls the body with it, until the body
  /// returns false.
  private func forEachAbandoned(_ purpose: Purpose, _ body: (String) -> Bool) {
    for path in paths(purpose) {
      let locked = LockedDirectory(path)
      guard locked != nil || !isDirectory(path) else { continue }
      let shouldContinue = body(path)
      withExtendedLifetime(locked) {}
      if !shouldContinue { return }
    }
  }

  /// A link or a file at the path cannot be locked.
  private func isDirectory(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}

/// A directory that is being created or replaced. It is locked as long as this object and its
/// process live, so other processes can tell. A process number would not do: after a restart of the
/// system or of a container another process can have the same number.
final class LockedDirectory {
  /// The path at which it was locked.
  let path: String
  private let descriptor: LockDescriptor

  /// Nil if another holder has the lock, or if the path is not a directory that can be locked.
  init?(_ path: String) {
    let opened = LockDescriptor {
      open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    } unlock: { descriptor in
      _ = feedcore_lock_directory(descriptor, 0)
    }
    // A cleanup in another process may have removed it first; the path then has no such directory.
    guard let descriptor = opened, feedcore_lock_directory(descriptor.number, 1) == 0,
      let status = try? FileSystem.status(ofDescriptor: descriptor.number, path: path),
      (try? FileSystem.identity(of: path)) == FileSystem.Identity(status)
    else { return nil }
    self.path = path
    self.descriptor = descriptor
  }
}
