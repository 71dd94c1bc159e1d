import Foundation
import TestSupport

/// A directory with a store and files for commands; removed afterwards.
final class Workspace {
  /// The result of a command.
  struct Outcome {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    let bytes: Data
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

    /// The output, which is one JSON text.
    func json() throws -> Any { try JSONSerialization.jsonObject(with: bytes) }

    /// The output, which is one JSON object.
    func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }
  }

  let path: String
  var store: String { path + "/store" }
  private var count = 0

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("feedcore-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Makes a file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    try file(name, bytes: Array(text.utf8))
  }

  func file(_ name: String, bytes: [UInt8]) throws -> String {
    let path = "\(path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// A file with a sample that the command made.
  func sample(
    _ kind: String, _ records: Int, seed: Int = 1, format: String = "json"
  ) throws -> String {
    let file = "\(path)/\(kind)-\(records)-\(seed).\(format)"
    let command = try start(
      [
        "sample", "--kind", kind, "--records", "\(records)", "--seed", "\(seed)", "--format",
        format,
      ], output: .file(file))
    guard command.wait() == 0 else { throw Unexpected() }
    return file
  }

  func contents(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Runs a command to its end.
  func feedcore(
    _ arguments: String..., input: RunningCommand.Stream = .nothing,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    try feedcore(arguments, input: input, environment: environment)
  }

  func feedcore(
    _ arguments: [String], input: RunningCommand.Stream = .nothing,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    count += 1
    let output = "\(path)/output-\(count)"
    let errors = "\(path)/errors-\(count)"
    defer {
      unlink(output)
      unlink(errors)
    }
    let command = try start(
      arguments, input: input, output: .file(output), errors: .file(errors),
      environment: environment)
    return Outcome(
      status: command.wait(), bytes: try contents(output),
      errors: String(decoding: try contents(errors), as: UTF8.self))
  }

  /// Starts a command.
  func start(
    _ arguments: [String], input: RunningCommand.Stream = .nothing,
    output: RunningCommand.Stream = .nothing, errors: RunningCommand.Stream = .nothing,
    environment: [String: String] = [:]
  ) throws -> RunningCommand {
    try RunningCommand(
      try Binary.path(), arguments, environment: variables.merging(environment) { $1 },
      input: input, output: output, errors: errors)
  }

  /// Starts a command line of the shell. Both of its outputs go to a file.
  func start(shell line: String, outputAndErrors file: String) throws -> RunningCommand {
    try RunningCommand(
      "/bin/sh", ["-c", "exec >'\(file)' 2>&1; \(line)"], environment: variables, input: .nothing,
      output: .nothing, errors: .nothing)
  }

  /// Runs a line of the shell, whose `$1` is the program, and returns both of its outputs, which
  /// stay in the file `shell-output`.
  func shell(_ line: String) throws -> (status: Int32, text: String) {
    let file = path + "/shell-output"
    let command = try start(
      shell: "set -- '\(try Binary.path())'; \(line)", outputAndErrors: file)
    let status = command.wait()
    return (status, String(decoding: try contents(file), as: UTF8.self))
  }

  /// The environment of this process, with the store of this directory.
  private var variables: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables["FEEDCORE_STORE"] = store
    variables["XDG_CACHE_HOME"] = nil
    variables["HOME"] = path
    return variables
  }

  struct Unexpected: Error {}
}
