import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The directories beside an environment's own in which processes make and replace it.
///
/// Each is named after the environment and its purpose, and held by the process that is at work on
/// it, so that what a killed one left behind is known.
struct Siblings {
  enum Purpose: String, CaseIterable {
    /// A new environment that is not whole yet.
    case creating
    /// A replacement that is not whole yet, or what was replaced.
    case replacing
    /// What is replaced, where the system cannot exchange two names at once.
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

  /// A new name.
  func path(_ purpose: Purpose) -> String {
    "\(directory).\(purpose.rawValue).\(getpid()).\(UInt32.random(in: .min ... .max))"
  }

  /// Makes an empty directory, which is nobody else's for as long as it is held.
  func make(_ purpose: Purpose) throws(LMDBError) -> HeldDirectory {
    // Between its making and its locking it can be taken for an abandoned one.
    for _ in 0..<100 {
      let path = path(purpose)
      try FileSystem.createDirectories(path)
      if let held = HeldDirectory(path) { return held }
      FileSystem.removeDirectory(path)
    }
    throw LMDBError(.io, "a directory beside it cannot be locked", path: directory)
  }

  /// Removes the directories that no process is at work on any more.
  ///
  /// One that was replaced is removed only when the environment is in its place.
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

  /// Puts back what a process was replacing when it was killed between two renames.
  func putBack() {
    forEachAbandoned(.replaced) { path in
      (try? FileSystem.rename(path, to: directory)) == nil
    }
  }

  private func paths(_ purpose: Purpose) -> [String] {
    let prefix = "\(base).\(purpose.rawValue)."
    return FileSystem.names(in: parent).filter { $0.hasPrefix(prefix) }.map { parent + "/" + $0 }
  }

  /// Calls the body with what nobody holds, and holds it meanwhile, until the body returns false.
  private func forEachAbandoned(_ purpose: Purpose, _ body: (String) -> Bool) {
    for path in paths(purpose) {
      let held = HeldDirectory(path)
      guard held != nil || !isDirectory(path) else { continue }
      let goesOn = body(path)
      withExtendedLifetime(held) {}
      if !goesOn { return }
    }
  }

  /// Nobody holds a link that somebody has put there, or a file.
  private func isDirectory(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return true }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
