#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bytes on their way to a descriptor, gathered to 64 KiB.
///
/// A failure is kept until ``finish()``, so that callers need to look only where stopping early
/// saves work. A pipe whose reader has gone is no failure: like ripgrep and unlike a process that
/// dies of SIGPIPE, a command whose output nobody wants any more ends with the status of its work.
final class Output {
  private static let capacity = 64 << 10

  /// What errors call it.
  let name: String
  private let descriptor: CInt
  private var buffer: [UInt8] = []
  private var isClosed = false
  /// What keeps it from writing more, unless the reader of a pipe has gone.
  private(set) var failure: Failure?

  /// - Parameters:
  ///   - descriptor: stays open; its owner closes it.
  ///   - name: what errors call it.
  init(_ descriptor: CInt, name: String) {
    self.descriptor = descriptor
    self.name = name
    buffer.reserveCapacity(Self.capacity + (4 << 10))
  }

  /// The standard output of the process.
  static func standard() -> Output { Output(STDOUT_FILENO, name: "stdout") }

  /// False once writing more is of no use.
  var isWritable: Bool { failure == nil && !isClosed }

  func write(_ text: String) {
    append { $0.append(contentsOf: text.utf8) }
  }

  func write(_ bytes: borrowing RawSpan) {
    append { buffer in
      bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
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

  /// Hands over everything written so far.
  func drain() {
    var done = 0
    while done < buffer.count, isWritable { done += writeOnce(from: done) }
    // One large record must not make the buffer large for good.
    buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.capacity)
  }

  /// Hands over the rest.
  ///
  /// - Throws: what went wrong since the beginning, except that the reader of a pipe has gone.
  func finish() throws(Failure) {
    drain()
    if let failure { throw failure }
  }

  private func writeOnce(from start: Int) -> Int {
    let count = buffer.withUnsafeBytes { bytes in
      systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
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

// `write` alone would name the methods.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
