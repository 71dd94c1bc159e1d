import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Stops a thread, even while it waits for another process's bytes.
///
/// The thread waits in `poll` on the input and on the signal's own pipe. A blocking `read` could
/// be interrupted only by a signal handler or by cancelling the thread.
final class StopSignal: Sendable {
  private let flag = Atomic<Bool>(false)
  private let readEnd: CInt
  private let writeEnd: CInt

  /// - Parameter source: what the thread will read. A file needs no pipe, as it never waits.
  init(for source: InputSource) throws(JSONError) {
    var ends: [CInt] = [-1, -1]
    if !source.isFile {
      guard pipe(&ends) == 0 else { throw source.failure(errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    guard writeEnd >= 0 else { return }
    close(readEnd)
    close(writeEnd)
  }

  /// True once the thread must stop.
  var isGiven: Bool { flag.load(ordering: .relaxed) }

  func give() {
    flag.store(true, ordering: .relaxed)
    guard writeEnd >= 0 else { return }
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// True if a source has something to read, or has ended.
  ///
  /// - Parameter waits: true to sleep until it has, or until the signal is given.
  func isReady(_ source: InputSource, waits: Bool) -> Bool {
    if source.isFile { return !isGiven }
    var requests = [
      pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
    ]
    while !isGiven {
      let count = poll(&requests, 2, waits ? -1 : 0)
      // If `poll` fails, `read` reports the cause.
      if count < 0, errno != EINTR { return true }
      if count > 0 { return requests[0].revents != 0 }
      if count == 0 { return false }
    }
    return false
  }
}
