#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file, a pipe or standard input, opened for reading and closed when it goes.
package struct InputSource: ~Copyable {
  /// What errors call it.
  package let name: String
  /// Its length in bytes, where that is known beforehand.
  package let byteCount: Int?
  private let descriptor: CInt
  private let isOwned: Bool

  /// Opens a file; `-` is standard input.
  package init(_ path: String) throws(JSONError) {
    if path == "-" {
      name = "stdin"
      byteCount = nil
      descriptor = STDIN_FILENO
      isOwned = false
      return
    }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw JSONError(.noInput, Self.reason(errno), file: path)
    }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw JSONError(.noInput, "is a directory; name a file", file: path)
    }
    name = path
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    byteCount = isRegular ? Int(status.st_size) : nil
    descriptor = opened
    isOwned = true
    #if os(Linux)
      _ = posix_fadvise(opened, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  deinit { if isOwned { close(descriptor) } }

  /// False if a read would have to wait.
  var isReady: Bool {
    // A file always is.
    guard byteCount == nil else { return true }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) != 0
  }

  /// Reads into `space`; 0 says that the input has ended, nil that a signal came first.
  func read(into space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    let count = systemRead(descriptor, space.baseAddress, space.count)
    if count >= 0 { return count }
    if errno == EINTR { return nil }
    throw JSONError(.inputOutput, "reading failed: \(Self.reason(errno))", file: name)
  }

  private static func reason(_ code: CInt) -> String {
    switch code {
    case ENOENT: "no such file"
    case EACCES, EPERM: "not readable: permission denied"
    default: String(cString: strerror(code))
    }
  }
}

// `read` alone would name the method.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, buffer, count)
}
