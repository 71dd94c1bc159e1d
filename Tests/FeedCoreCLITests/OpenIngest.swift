import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An ingest from a pipe that stays open: it locks its feed until the test ends it.
final class OpenIngest {
  private let command: RunningCommand
  private var descriptor: CInt
  private let workspace: Workspace
  private let errors: String

  /// Returns once the feed is locked.
  init(_ workspace: Workspace, feed: String = "universities", names: [String]) throws {
    self.workspace = workspace
    errors = "\(workspace.path)/ingest-errors"
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Workspace.Unexpected() }
    // No other process that is started meanwhile may inherit the pipe.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    descriptor = ends[1]
    // If the command ends early, a write has to fail and not to end the tests.
    signal(SIGPIPE, SIG_IGN)
    command = try workspace.start(
      // If the kind is named, the first records are stored at once.
      ["ingest", "-", "--kind", "universities", "--feed", feed, "--wait", "--quiet"],
      input: .descriptor(ends[0]), errors: .file(errors))
    close(ends[0])
    send("[" + names.map { Payload.university($0) }.joined(separator: ","))
    try waitUntilBusy(feed)
  }

  deinit { closePipe() }

  /// Completes its input and returns its exit status.
  func finish() -> Int32 {
    send("]")
    closePipe()
    return command.wait()
  }

  /// Presses Ctrl-C and returns the exit status and the messages.
  func interrupt() throws -> (status: Int32, errors: String) {
    command.send(SIGINT)
    let status = command.wait()
    return (status, String(decoding: try workspace.contents(errors), as: UTF8.self))
  }

  func kill() { _ = end(with: SIGKILL) }

  /// Returns the exit status, or the negative number of the signal that ended it.
  func end(with signal: CInt) -> Int32 {
    command.send(signal)
    return command.wait()
  }

  // A payload whose second record is bad needs the lock of the feed and publishes nothing. If it
  // gets the lock first, the ingest waits for it.
  private func waitUntilBusy(_ feed: String) throws {
    let probe = try workspace.file(
      "probe.ndjson", Payload.lines(["probe"]) + #"{"name":1}"# + "\n")
    let deadline = ContinuousClock.now + .seconds(30)
    let arguments = ["ingest", probe, "--kind", "universities", "--feed", feed]
    while try workspace.feedcore(arguments).status != 75 {
      guard command.isRunning, ContinuousClock.now < deadline else {
        throw Workspace.Unexpected()
      }
    }
  }

  private func send(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  private func closePipe() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
