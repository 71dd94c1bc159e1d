#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A directory for one test, removed with its contents when the object is deinitialized.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// - Parameter inMemory: true for a directory in memory, if available, where synchronising costs
  ///   nothing
  package init(inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let usual = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let base = inMemory && access(memory, W_OK) == 0 ? memory : usual
    var template = Array("\(base)/feedcore-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(number: errno) }
    path = template.withUnsafeBytes { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  deinit { Self.remove(path) }

  package struct Failure: Error {
    package let number: CInt
  }

  package func names(in name: String = "") -> [String] {
    Self.names(in: path + "/" + name).sorted()
  }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func remove(_ directory: String) {
    for name in names(in: directory) {
      let path = directory + "/" + name
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(directory)
  }
}
