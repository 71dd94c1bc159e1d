import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An ingest from a pipe that stays open: it holds its feed until the test lets it go.
final class HeldIngest {
  private let command: RunningCommand
  private var descriptor: CInt
  private let workspace: Workspace
  private let errors: String

  /// Returns once the feed is held.
  init(_ workspace: Workspace, feed: String = "universities", names: [String]) throws {
    self.workspace = workspace
    errors = "\(workspace.path)/held-errors"
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Workspace.Unexpected() }
    // No other process that is started meanwhile may keep the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    descriptor = ends[1]
    // Should it end early, a write is to fail and not to end the tests.
    signal(SIGPIPE, SIG_IGN)
    command = try workspace.start(
      ["ingest", "-", "--feed", feed, "--wait", "--quiet"], input: .descriptor(ends[0]),
      errors: .file(errors))
    close(ends[0])
    send("[" + names.map { Payload.university($0) }.joined(separator: ","))
    try waitUntilBusy(feed)
  }

  deinit { closePipe() }

  /// Ends its input as it should be and gives its exit status.
  func finish() -> Int32 {
    send("]")
    closePipe()
    return command.wait()
  }

  /// Presses Ctrl-C and gives the exit status and what was said about it.
  func interrupt() throws -> (status: Int32, errors: String) {
    command.send(SIGINT)
    let status = command.wait()
    return (status, String(decoding: try workspace.contents(errors), as: UTF8.self))
  }

  func kill() { _ = end(with: SIGKILL) }

  /// Gives the exit status, or the number of the signal that has ended it, negative.
  func end(with signal: CInt) -> Int32 {
    command.send(signal)
    return command.wait()
  }

  // A payload whose second record is bad asks for the feed and publishes nothing. Should it get
  // the feed first, the ingest waits for it.
  private func waitUntilBusy(_ feed: String) throws {
    let probe = try workspace.file(
      "probe.ndjson", Payload.lines(["probe"]) + #"{"name":1}"# + "\n")
    let deadline = ContinuousClock.now + .seconds(30)
    while try workspace.feedcore("ingest", probe, "--feed", feed).status != 75 {
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
