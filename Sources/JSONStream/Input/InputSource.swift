#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file, pipe or terminal. `deinit` closes it, unless it is standard input.
///
/// A thread of its own reads it, and inflates it if its first bytes are those of gzip or zstd.
package final class InputSource: Sendable {
  /// Its name in errors.
  package let name: String
  /// The bytes from its initial position to its end, if known in advance.
  package let fileByteCount: Int?
  let descriptor: CInt
  /// True for a file on a disk: reading it never waits for another process.
  let isFile: Bool
  private let start: Int
  private let isOwned: Bool

  /// Opens a file; `-` is standard input.
  package init(_ path: String) throws(JSONError) {
    var status = stat()
    start = 0
    if path == "-" {
      name = "stdin"
      descriptor = STDIN_FILENO
      let isKnown = fstat(descriptor, &status) == 0
      guard !isKnown || status.st_mode & S_IFMT != S_IFDIR else {
        throw JSONError(.noInput, "is a directory; redirect a file", file: name)
      }
      isFile = isKnown && status.st_mode & S_IFMT == S_IFREG
      fileByteCount = nil
      isOwned = false
      return
    }
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      let reason = path.isEmpty ? "the path is empty" : Self.reason(errno)
      throw JSONError(.noInput, reason, file: path)
    }
    guard fstat(opened, &status) == 0 else {
      let reason = Self.reason(errno)
      close(opened)
      throw JSONError(.inputOutput, reason, file: path)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(opened)
      throw JSONError(.noInput, "is a directory; name a file", file: path)
    }
    name = path
    descriptor = opened
    isFile = status.st_mode & S_IFMT == S_IFREG
    fileByteCount = isFile ? Int(status.st_size) : nil
    isOwned = true
    #if os(Linux)
      _ = posix_fadvise(opened, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// Duplicates the caller's descriptor. Reading starts at its position and advances it.
  ///
  /// - Parameter name: its name in errors.
  package init(descriptor: CInt, name: String) throws(JSONError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      let code = errno
      // Other causes have nothing to do with the input.
      throw JSONError(
        code == EBADF ? .noInput : .inputOutput, "not readable: \(Self.reason(code))", file: name)
    }
    var status = stat()
    guard fstat(copy, &status) == 0 else {
      let reason = Self.reason(errno)
      close(copy)
      throw JSONError(.inputOutput, reason, file: name)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(copy)
      throw JSONError(.noInput, "is a directory; open a file", file: name)
    }
    self.name = name
    self.descriptor = copy
    isFile = status.st_mode & S_IFMT == S_IFREG
    start = isFile ? max(Int(lseek(copy, 0, SEEK_CUR)), 0) : 0
    fileByteCount = isFile ? max(Int(status.st_size) - start, 0) : nil
    isOwned = true
  }

  deinit { if isOwned { close(descriptor) } }

  /// The length of the content in bytes, if known in advance. Nil for a pipe and for a compressed
  /// file.
  package var byteCount: Int? { format == .plain ? fileByteCount : nil }

  /// How a file is compressed; nil if only reading it can tell.
  var format: InputFormat? {
    guard fileByteCount != nil else { return nil }
    var head = InputHead()
    // The position does not change.
    let first = [UInt8](unsafeUninitializedCapacity: InputHead.maximumCount) { space, count in
      count = max(pread(descriptor, space.baseAddress, InputHead.maximumCount, off_t(start)), 0)
    }
    head.append(first)
    if head.format == nil { head.append([]) }
    return head.format
  }

  /// Starts the thread that reads from the current position. Call this once.
  ///
  /// - Parameter limit: the number of segments in the ring.
  package func readAhead(limit: Int = ReadAhead.segmentLimit) throws(JSONError) -> ReadAhead {
    try ReadAhead(self, limit: limit)
  }

  /// Reads into `space`. Returns 0 at the end of the input. Returns nil without data: a signal
  /// arrived first, or another process read the data and `read` does not wait for more.
  func read(into space: UnsafeMutableRawBufferPointer) throws(JSONError) -> Int? {
    let count = systemRead(descriptor, space.baseAddress, space.count)
    if count >= 0 { return count }
    if errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK { return nil }
    throw failure(errno)
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
