#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads whole files without interpreting them.
enum FileContents {
  /// The name of a file in messages: its path, or `stdin`, as in the library.
  static func name(of path: String) -> String { path == "-" ? "stdin" : path }

  /// Reads a file, or standard input if the path is `-`.
  ///
  /// - Parameter verify: receives the status of the open file before it is read.
  /// - Throws: exit status 66 if the file does not exist or may not be opened, 65 if it exceeds the
  ///   limit, 74 if it cannot be read; what `verify` throws
  static func read(
    _ path: String, limit: Int, verify: (stat) throws(Failure) -> Void = { _ in }
  ) throws(Failure) -> [UInt8] {
    if path == "-" { return try read(STDIN_FILENO, name(of: path), limit, verify) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(.noInput, path) }
    defer { close(descriptor) }
    return try read(descriptor, path, limit, verify)
  }

  private static func read(
    _ descriptor: CInt, _ name: String, _ limit: Int, _ verify: (stat) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(.failedIO, name) }
    try verify(status)
    // Growing an array needs its memory twice for a moment.
    bytes.reserveCapacity(min(Int(status.st_size), limit))
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = systemRead(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw failure(errno == EISDIR ? .noInput : .failedIO, name) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > limit {
        throw Failure(.badData, "\(name): has more than the maximum of \(limit) bytes")
      }
    }
  }

  private static func failure(_ status: ExitStatus, _ name: String) -> Failure {
    Failure(status, "\(name): \(String(cString: strerror(errno)))")
  }
}

// Within the type, `read` would refer to the methods.
private func systemRead(_ descriptor: CInt, _ buffer: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &buffer, count)
}
