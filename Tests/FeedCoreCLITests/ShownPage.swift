import Foundation
import TestSupport
import Testing

/// A page with commands, which are run in its order in one store, and must write what it shows.
struct ShownPage: Sendable {
  /// What becomes of a command that is not run as it stands.
  enum Exception {
    /// It is run by somebody else, or not at all.
    case leftOut(because: String)
    /// It is run with other words, and its output is compared with these words in it.
    case changed([(from: String, to: String)], because: String)
    /// It is run as it stands, and ends with this status.
    case failing(Int32)
    /// It is run with further options until it has written what is shown, and is then asked to end.
    case serving(String, because: String)
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Where it stands in the clone.
  let name: String
  /// How it calls the program.
  let program: String
  /// By their lines.
  var exceptions: [String: Exception] = [:]
  /// A directory of the page's own that is the test's store instead.
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

  /// An exception of a command that the page no longer shows is none.
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
