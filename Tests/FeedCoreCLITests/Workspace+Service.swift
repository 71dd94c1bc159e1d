import Foundation
import TestSupport

extension Workspace {
  /// Runs a command to its end while this process serves it. It blocks no thread that the server
  /// might need.
  ///
  /// - Parameter whileRunning: called from time to time with the running command.
  func served(
    _ arguments: String..., whileRunning: (RunningCommand) -> Void = { _ in }
  ) async throws -> Outcome {
    try await served(arguments, whileRunning: whileRunning)
  }

  func served(
    _ arguments: [String], whileRunning: (RunningCommand) -> Void = { _ in }
  ) async throws -> Outcome {
    let (output, errors) = ("\(path)/served-output", "\(path)/served-errors")
    let command = try start(arguments, output: .file(output), errors: .file(errors))
    while command.isRunning {
      whileRunning(command)
      try await Task.sleep(for: .milliseconds(5))
    }
    return Outcome(
      status: command.wait(), bytes: try contents(output),
      errors: String(decoding: try contents(errors), as: UTF8.self))
  }

  /// Starts `serve` on a free port, and returns when it accepts connections.
  ///
  /// - Returns: the server, and its URL.
  func startServer(
    _ options: [String] = [], errors: RunningCommand.Stream = .nothing
  ) async throws -> (RunningCommand, URL) {
    let output = "\(path)/server-output"
    let command = try start(
      ["serve", "--http", "127.0.0.1:0"] + options, output: .file(output), errors: errors)
    let start = "HTTP on "
    while true {
      let text = String(decoding: try contents(output), as: UTF8.self)
      if text.hasSuffix("\n"), let line = text.split(separator: "\n").first {
        guard line.hasPrefix(start), let url = URL(string: String(line.dropFirst(start.count)))
        else { throw Unexpected() }
        return (command, url)
      }
      guard command.isRunning else { throw Unexpected() }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
