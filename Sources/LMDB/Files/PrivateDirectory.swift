import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory below the temporary one for private data that are not kept. It is removed with this
/// object or when the process exits.
package final class PrivateDirectory: Sendable {
  /// The path of the directory.
  package let path: String
  /// A forked child has copies of objects that belong to its parent.
  private let owner = getpid()

  /// Whether a path means data that are not kept: `/dev/null` or a path below it.
  package static func isMeant(by path: String) -> Bool {
    path == "/dev/null" || path.hasPrefix("/dev/null/")
  }

  /// Creates the directory below `TMPDIR` or `/tmp`.
  package init() throws(LMDBError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // `mkdtemp` writes the name into its argument, which is our own copy with its zero byte.
    var template = Array("\(base)/feedcore-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .system(errno, doing: "make a temporary directory", path: base)
    }
    path = template.withUnsafeBytes { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if Self.isRemovedAtExit { Self.owners.withLock { owners in owners[path] = owner } }
  }

  deinit { remove() }

  /// Removes the directory and its contents. May be called again.
  package func remove() {
    guard getpid() == owner else { return }
    Self.owners.withLock { owners in owners[path] = nil }
    FileSystem.removeDirectory(path)
  }

  // MARK: The end of the process

  /// The existing directories and the processes that own them.
  static let owners = Monitor<[String: pid_t]>([:])

  /// Tasks and threads that still run at exit keep their objects alive.
  private static let isRemovedAtExit: Bool = {
    atexit {
      let paths = PrivateDirectory.owners.withLock { owners in
        owners.filter { $0.value == getpid() }.map(\.key)
      }
      for path in paths { FileSystem.removeDirectory(path) }
    } == 0
  }()
}
