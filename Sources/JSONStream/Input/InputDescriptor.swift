#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file, pipe or terminal, closed by `deinit` unless it is standard input.
final class InputDescriptor: Sendable {
  let number: CInt
  /// Its name in errors.
  let name: String
  /// True for a file on a disk: reading it never waits for another process.
  let isFile: Bool
  /// The bytes from its initial position to its end, if known in advance.
  let length: Int?
  private let start: Int
  private let isOwned: Bool

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws(JSONError) {
    var status = stat()
    if path == "-" {
      name = "stdin"
      number = STDIN_FILENO
      let isKnown = fstat(number, &status) == 0
      guard !isKnown || status.st_mode & S_IFMT != S_IFDIR else {
        throw JSONError(.noInput, "is a directory; redirect a file", file: name)
      }
      isFile = isKnown && status.st_mode & S_IFMT == S_IFREG
      length = nil
      start = 0
      isOwned = false
      return
    }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      let reason = path.isEmpty ? "the path is empty" : Self.reason(errno)
      throw JSONError(.noInput, reason, file: path)
    }
    guard fstat(opened, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw JSONError(.noInput, "is a directory; name a file", file: path)
    }
    name = path
    number = opened
    isFile = status.st_mode & S_IFMT == S_IFREG
    length = isFile ? Int(status.st_size) : nil
    start = 0
    isOwned = true
    #if os(Linux)
      _ = posix_fadvise(opened, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// Duplicates the caller's descriptor. Reading starts at its position and advances it.
  init(copyOf descriptor: CInt, name: String) throws(JSONError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      let code = errno
      // Other causes have nothing to do with the input.
      throw JSONError(
        code == EBADF ? .noInput : .inputOutput, "not readable: \(Self.reason(code))", file: name)
    }
    var status = stat()
    guard fstat(copy, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(copy)
      throw JSONError(.noInput, "is a directory; open a file", file: name)
    }
    self.name = name
    number = copy
    isFile = status.st_mode & S_IFMT == S_IFREG
    start = isFile ? max(Int(lseek(copy, 0, SEEK_CUR)), 0) : 0
    length = isFile ? max(Int(status.st_size) - start, 0) : nil
    isOwned = true
  }

  deinit { if isOwned { close(number) } }

  /// Waits until there is something to read, a signal arrives or 50 ms pass. A signal right before
  /// a blocking `read` would be noticed too late.
  func waitBriefly() -> Bool {
    if isFile { return true }
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    let count = poll(&request, 1, 50)
    // For any other failure of `poll`, `read` reports the cause.
    return count > 0 || count < 0 && errno != EINTR
  }

  /// Reads into `space`. Returns 0 at the end of the input. Returns nil without data: a signal
  /// arrived first, or another process read the data and `read` does not wait for more.
  func read(into space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    let count = systemRead(number, space.baseAddress, space.count)
    if count >= 0 { return count }
    if errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK { return nil }
    throw failure(errno)
  }

  /// The first bytes of a file; its position does not change.
  func peek(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { space, filled in
      filled = max(pread(number, space.baseAddress, count, off_t(start)), 0)
    }
  }

  /// The error for a read that failed with an error number.
  func failure(_ code: CInt) -> JSONError {
    JSONError(.inputOutput, "reading failed: \(Self.reason(code))", file: name)
  }

  private static func reason(_ code: CInt) -> String {
    switch code {
    case ENOENT: "no such file"
    case EACCES, EPERM: "not readable: permission denied"
    default: String(cString: strerror(code))
    }
  }
}

// Inside the class, `read` means the method.
private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
  read(descriptor, buffer, count)
}
