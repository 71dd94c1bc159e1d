#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The directories beside an environment's own in which processes make and replace it.
///
/// Each is named after the environment, its purpose and the process that made it, so that what a
/// killed one left behind is known.
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

  /// Removes the directories whose process no longer exists.
  ///
  /// One that was replaced is removed only when the environment is in its place.
  func removeAbandoned() {
    let isThere = (try? DataFile(in: directory)) != nil
    for purpose in Purpose.allCases where purpose != .replaced || isThere {
      for path in abandoned(purpose) { FileSystem.removeDirectory(path) }
    }
  }

  /// Whether a process is, or was when it was killed, between the two renames of a replacement.
  var isBeingReplaced: Bool { !names(.replaced).isEmpty }

  /// Puts back what a process was replacing when it was killed between two renames.
  func putBack() {
    guard let path = abandoned(.replaced).first else { return }
    try? FileSystem.rename(path, to: directory)
  }

  private func names(_ purpose: Purpose) -> [String] {
    let prefix = "\(base).\(purpose.rawValue)."
    return FileSystem.names(in: parent).filter { $0.hasPrefix(prefix) }
  }

  private func abandoned(_ purpose: Purpose) -> [String] {
    names(purpose).filter { name in
      let digits = name.dropFirst(base.count + purpose.rawValue.count + 2)
        .prefix { $0 != "." }
      guard let process = pid_t(digits), process > 0, process != getpid() else { return false }
      return kill(process, 0) != 0 && errno == ESRCH
    }.map { parent + "/" + $0 }
  }
}
