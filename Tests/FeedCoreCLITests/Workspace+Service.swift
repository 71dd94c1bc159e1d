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
}
