#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A buffered writer to a descriptor, with a buffer of 64 KiB.
///
/// A failure is stored until ``finish()``. Callers need to check for it only if stopping early
/// saves work. A pipe whose reader has closed is not a failure. As with ripgrep, and unlike a
/// process that dies of SIGPIPE, such a command ends with the status of its work.
final class Output {
  private static let capacity = 64 << 10

  /// The name in errors.
  let name: String
  private let descriptor: CInt
  private var buffer: [UInt8] = []
  private var isClosed = false
  /// The failure that prevents further writes. A closed pipe is not a failure.
  private(set) var failure: Failure?

  /// - Parameters:
  ///   - descriptor: stays open; its owner closes it.
  ///   - name: the name in errors.
  init(_ descriptor: CInt, name: String) {
    self.descriptor = descriptor
    self.name = name
    buffer.reserveCapacity(Self.capacity + (4 << 10))
  }

  /// The standard output of the process.
  static func standard() -> Output { Output(STDOUT_FILENO, name: "stdout") }

  /// False once further writes are useless.
  var isWritable: Bool { failure == nil && !isClosed }

  func write(_ text: String) {
    append { $0.append(contentsOf: text.utf8) }
  }

  /// Text of 64 KiB or more is written without a copy.
  func write(_ bytes: borrowing RawSpan) {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count >= Self.capacity else { return append { $0.append(contentsOf: bytes) } }
      drain()
      writeAll(bytes)
    }
  }

  func write(_ bytes: some Collection<UInt8>) {
    append { $0.append(contentsOf: bytes) }
  }

  /// Lets `body` append to the buffer.
  func append<Caught: Error>(
    _ body: (inout [UInt8]) throws(Caught) -> Void
  ) throws(Caught) {
    try body(&buffer)
    if buffer.count >= Self.capacity { drain() }
  }

  /// Writes the buffer to the descriptor.
  func drain() {
    buffer.withUnsafeBytes { writeAll($0) }
    // One large record must not enlarge the buffer permanently.
    buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.capacity)
  }

  /// Writes the rest.
  ///
  /// - Throws: the first failure so far; a closed pipe is not one.
  func finish() throws(Failure) {
    drain()
    if let failure { throw failure }
  }

  private func writeAll(_ bytes: UnsafeRawBufferPointer) {
    var done = 0
    while done < bytes.count, isWritable {
      done += writeOnce(UnsafeRawBufferPointer(rebasing: bytes[done...]))
    }
  }

  /// Returns the number of bytes that were written; 0 for a failure and for a call to repeat.
  private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = systemWrite(descriptor, bytes)
    if count >= 0 { return count }
    switch errno {
    case EINTR:
      if Interruption.isRequested { failure = .interrupted }
    case EAGAIN, EWOULDBLOCK:
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      poll(&request, 1, 1_000)
    case EPIPE:
      isClosed = true
    default:
      failure = Failure(writing: name, errno)
    }
    return 0
  }
}

// Within the type, `write` would refer to the methods.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
