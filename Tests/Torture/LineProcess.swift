import Foundation
import TestSupport

/// A process that answers each line with a line. Its crash or silence is a failure.
final class LineProcess {
  private let command: RunningCommand
  private let requests: CInt
  private let replies: CInt
  private var buffer: [UInt8] = []
  private let name: String

  var process: pid_t { command.process }

  init(
    _ name: String,
    _ start: (_ input: RunningCommand.Stream, _ output: RunningCommand.Stream) throws ->
      RunningCommand
  ) throws {
    self.name = name
    let (input, output) = (try Self.pipe(), try Self.pipe())
    defer {
      close(input.read)
      close(output.write)
    }
    (requests, replies) = (input.write, output.read)
    command = try start(.descriptor(input.read), .descriptor(output.write))
  }

  deinit {
    close(requests)
    close(replies)
    command.send(SIGKILL)
  }

  private static func pipe() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw TortureFailure("no pipe: \(errno)") }
    // A process that is started meanwhile must not keep the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Sends a line and waits for the answer.
  func ask(_ line: String, seconds: Int = 60) throws -> String {
    let bytes = Array((line + "\n").utf8)
    // If the process has ended, the reply may contain the reason.
    _ = write(requests, bytes, bytes.count)
    return try reply(seconds: seconds)
  }

  /// The next line that the process writes.
  func reply(seconds: Int = 60) throws -> String {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeSubrange(...end)
        return line
      }
      var wait = pollfd(fd: replies, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, CInt(seconds * 1000)) > 0 else {
        throw TortureFailure("\(name) said nothing for \(seconds) s")
      }
      let count = read(replies, &chunk, chunk.count)
      guard count > 0 else { throw ended() }
      buffer += chunk[..<count]
    }
  }

  func signal(_ number: CInt) { command.send(number) }

  /// Waits for the end of the process. Returns its exit status, or the negative number of a signal.
  func end() -> Int32 { command.wait() }

  private func ended() -> TortureFailure {
    TortureFailure("\(name) ended with \(command.wait())")
  }
}
