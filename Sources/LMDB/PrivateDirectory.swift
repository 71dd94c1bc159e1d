#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory in the temporary one for data that nobody else sees and that is not kept.
package final class PrivateDirectory: Sendable {
  /// Where it is.
  package let path: String

  /// Whether a path means data that are not kept: `/dev/null` or something under it.
  package static func isMeant(by path: String) -> Bool {
    path == "/dev/null" || path.hasPrefix("/dev/null/")
  }

  /// Makes the directory, below `TMPDIR` or `/tmp`.
  package init() throws(LMDBError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    // `mkdtemp` writes the name into its argument, which is a copy of our own with its zero byte.
    var template = Array("\(base)/feedcore-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .system(errno, doing: "make a temporary directory", path: base)
    }
    path = template.withUnsafeBytes { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  deinit { remove() }

  /// Removes it with everything in it. May be called again.
  package func remove() { FileSystem.removeDirectory(path) }
}
