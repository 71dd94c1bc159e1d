import Foundation
import TestSupport
import Testing

/// A page with commands, which run in its order in one store and must write the shown output.
struct ShownPage: Sendable {
  /// How to run a command that cannot run unchanged.
  enum Exception {
    /// Another test or script runs it, or none.
    case leftOut(because: String)
    /// It runs with these replacements, which also apply to its output.
    case changed([(from: String, to: String)], because: String)
    /// It runs unchanged, and ends with this status.
    case failing(Int32)
    /// It runs with further options until it has written the shown output, and is then asked to end.
    case serving(String, because: String)
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The path in the clone.
  let name: String
  /// The name of the program on the page.
  let program: String
  /// The exceptions by command line.
  var exceptions: [String: Exception] = [:]
  /// A directory on the page that the test's store replaces.
  var storePath: String?

  func snippets() throws -> PageSnippets {
    let url = Self.root.appending(path: name)
    return PageSnippets(try String(contentsOf: url, encoding: .utf8))
  }

  func isShell(_ block: PageSnippets.Block) -> Bool {
    ["", "console"].contains(block.language)
  }

  /// Runs every command in a directory; returns how many there are.
  func run(in directory: String, _ workspace: Workspace) throws -> Int {
    let commands = try snippets().blocks.filter(isShell).flatMap(\.commands)
    for command in commands { try check(command, directory, workspace) }
    return commands.count
  }

  /// Fails for an exception whose command is no longer on the page.
  func checkExceptions() throws {
    let blocks = try snippets().blocks
    let shown = Set(blocks.filter(isShell).flatMap(\.commands).map(\.line))
    for line in exceptions.keys { #expect(shown.contains(line), "\(name): \(line)") }
  }

  private func check(
    _ command: PageSnippets.Command, _ directory: String, _ workspace: Workspace
  ) throws {
    let run = ShownCommand(
      directory: directory, workspace: workspace, program: program,
      words: storePath.map { [($0, workspace.store)] } ?? [])
    switch exceptions[command.line] {
    case nil: try run.check(command, status: 0)
    case .leftOut: break
    case .failing(let status): try run.check(command, status: status)
    case .changed(let words, _):
      let change = { (text: String) in
        words.reduce(text) { $0.replacing($1.from, with: $1.to) }
      }
      let changed = PageSnippets.Command(
        line: change(command.line), output: command.output.map(change))
      try run.check(changed, status: 0)
    case .serving(let options, _):
      let serving = PageSnippets.Command(
        line: command.line + " " + options, output: command.output)
      try run.check(serving, status: nil)
    }
  }
}
