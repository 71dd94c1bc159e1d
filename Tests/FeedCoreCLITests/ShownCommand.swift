import Foundation
import TestSupport
import Testing

/// Runs a command that a page shows, and compares what it writes with what is shown.
struct ShownCommand {
  let directory: String
  let workspace: Workspace
  /// How the page calls the program.
  let program: String
  /// What stands in place of words of the page.
  let words: [(from: String, to: String)]

  /// - Parameter status: what it ends with; nil for what runs until it is asked to end, and tells in
  ///   no order of what it has begun
  func check(_ command: PageSnippets.Command, status: Int32?) throws {
    let file = workspace.path + "/shown"
    let line = try shellLine(command.line, isServing: status == nil)
    let running = try workspace.start(shell: line, outputAndErrors: file)
    if status == nil {
      while running.isRunning, try lines(of: file).count < command.output.count {
        usleep(10_000)
      }
      running.send(SIGTERM)
    }
    let ending = running.wait()
    let found = try lines(of: file)
    #expect(ending == status ?? 0, "\(command.line): \(found)")
    if command.output.isEmpty { return }
    let (written, shown) = (found.map(form), command.output.map(form))
    if status == nil {
      #expect(written.sorted() == shown.sorted(), "\(command.line)")
    } else {
      #expect(written == shown, "\(command.line)")
    }
  }

  /// A command as the shell is given it: in the directory, with the program of this build.
  private func shellLine(_ line: String, isServing: Bool) throws -> String {
    let binary = "'\(try Binary.path())'"
    let run = line.replacing(program + " ", with: binary + " ")
    let changed = words.reduce(run) { $0.replacing($1.from, with: $1.to) }
    // Without a shell around it, so that it is told itself to end.
    return "cd '\(directory)' && \(isServing ? "exec " : "")\(changed)"
  }

  private func lines(of file: String) throws -> [String] {
    var lines = String(decoding: try workspace.contents(file), as: UTF8.self)
      .components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A line with its figures of speed, time, memory and pages, and its ports, left open.
  private func form(_ line: String) -> String {
    line.replacing(/[0-9.,]+ [kKMG]?B(?=[\/,]|$)/, with: "# B")
      .replacing(/[0-9.]+ s\b/, with: "# s")
      .replacing(/[0-9]+ pages\b/, with: "# pages")
      .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:#")
  }
}
