import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells a thread to stop, also while it waits for somebody else's bytes.
///
/// The waiting is done by `poll` on the input and on a pipe of the signal's own: a thread inside
/// `read` could be called back only by a signal handler or by cancelling it.
final class StopSignal: Sendable {
  private let flag = Atomic<Bool>(false)
  private let readEnd: CInt
  private let writeEnd: CInt

  /// - Parameter descriptor: what the thread will read. A file lets nobody wait.
  init(for descriptor: InputDescriptor) throws(JSONError) {
    var ends: [CInt] = [-1, -1]
    if !descriptor.isFile {
      guard pipe(&ends) == 0 else { throw descriptor.failure(errno) }
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

  /// True once the thread is to stop.
  var isGiven: Bool { flag.load(ordering: .relaxed) }

  func give() {
    flag.store(true, ordering: .relaxed)
    guard writeEnd >= 0 else { return }
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// True if a descriptor has something to read, or has ended.
  ///
  /// - Parameter waits: true to sleep until it has, or until the signal is given.
  func isReady(_ descriptor: InputDescriptor, waits: Bool) -> Bool {
    if descriptor.isFile { return !isGiven }
    var requests = [
      pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
    ]
    while !isGiven {
      let count = poll(&requests, 2, waits ? -1 : 0)
      // Whatever keeps `poll` from working, `read` will name it.
      if count < 0, errno != EINTR { return true }
      if count > 0 { return requests[0].revents != 0 }
      if count == 0 { return false }
    }
    return false
  }
}
