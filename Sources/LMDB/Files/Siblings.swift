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
struct Siblings {
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

  /// Creates an empty directory, which belongs to the caller as long as it is held.
  func make(_ purpose: Purpose) throws(LMDBError) -> HeldDirectory {
    // Between creation and locking it can be mistaken for an abandoned one.
    for _ in 0..<100 {
      let path = path(purpose)
      try FileSystem.createDirectories(path)
      if let held = HeldDirectory(path) { return held }
      FileSystem.removeDirectory(path)
    }
    throw LMDBError(.io, "a directory beside it cannot be locked", path: directory)
  }

  /// Removes the directories that no process works on.
  ///
  /// A replaced one is removed only if the environment is at its path.
  func removeAbandoned() {
    let isThere = (try? DataFile(in: directory)) != nil
    for purpose in Purpose.allCases where purpose != .replaced || isThere {
      forEachAbandoned(purpose) { path in
        FileSystem.removeDirectory(path)
        return true
      }
    }
  }

  /// Whether a process is, or was when it was killed, between the two renames of a replacement.
  var isBeingReplaced: Bool { !paths(.replaced).isEmpty }

  /// Moves back what a process was replacing when it was killed between two renames.
  func putBack() {
    forEachAbandoned(.replaced) { path in
      (try? FileSystem.rename(path, to: directory)) == nil
    }
  }

  private func paths(_ purpose: Purpose) -> [String] {
    let prefix = "\(base).\(purpose.rawValue)."
    return FileSystem.names(in: parent).filter { $0.hasPrefix(prefix) }.map { parent + "/" + $0 }
  }

  /// Calls the body with each path that no process holds, and holds it meanwhile, until the body
  /// returns false.
  private func forEachAbandoned(_ purpose: Purpose, _ body: (String) -> Bool) {
    for path in paths(purpose) {
      let held = HeldDirectory(path)
      guard held != nil || !isDirectory(path) else { continue }
      let goesOn = body(path)
      withExtendedLifetime(held) {}
      if !goesOn { return }
    }
  }

  /// A link or a file at the path cannot be held.
  private func isDirectory(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
