import Foundation
import TestSupport
import Testing

/// Runs a command of a page, and compares its output with the shown output.
struct ShownCommand {
  let directory: String
  let workspace: Workspace
  /// The name of the program on the page.
  let program: String
  /// Replacements for words of the page.
  let words: [(from: String, to: String)]

  /// - Parameter status: the exit status; nil for a command that runs until it is asked to end, and
  ///   reports its start in any order
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

  /// A command for the shell: in the directory, with the program of this build.
  private func shellLine(_ line: String, isServing: Bool) throws -> String {
    let binary = "'\(try Binary.path())'"
    let run = line.replacing(program + " ", with: binary + " ")
    let changed = words.reduce(run) { $0.replacing($1.from, with: $1.to) }
    // Without a parent shell, so that it receives the signal itself.
    return "cd '\(directory)' && \(isServing ? "exec " : "")\(changed)"
  }

  private func lines(of file: String) throws -> [String] {
    var lines = String(decoding: try workspace.contents(file), as: UTF8.self)
      .components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A line with placeholders for speed, time, memory, pages and ports.
  private func form(_ line: String) -> String {
    line.replacing(/[0-9.,]+ [kKMG]?B(?=[\/,]|$)/, with: "# B")
      .replacing(/[0-9.]+ s\b/, with: "# s")
      .replacing(/[0-9]+ pages\b/, with: "# pages")
      .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:#")
  }
}
