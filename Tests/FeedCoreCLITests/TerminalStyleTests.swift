import Foundation
import TestSupport
import Testing

@Suite("Emphasis on a terminal")
struct TerminalStyleTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  /// The lines that a command draws on a terminal.
  private func lines(
    _ arguments: [String], _ environment: [String: String]
  ) throws -> [String] {
    let terminal = try PseudoTerminal(columns: 100)
    let command = try workspace.start(
      arguments, output: .descriptor(terminal.terminal), environment: environment)
    #expect(command.wait() == 0)
    return terminal.output().components(separatedBy: "\r\n")
  }

  @Test(
    "the headings of a table are bold and underlined, and nothing else",
    arguments: [
      (["feeds"], "generation"), (["show", "universities"], "country"),
      (["show", "universities", "--distinct", "country"], "count"),
    ])
  func headings(_ arguments: [String], _ title: String) throws {
    let styled = try lines(arguments, ["TERM": "xterm", "NO_COLOR": ""])
    #expect(styled[0].contains("\u{1B}[1;4m\(title)\u{1B}[0m"))
    let plain = try lines(arguments, ["TERM": "xterm", "NO_COLOR": "1"])
    let bare = styled.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
    #expect(bare == plain)
    #expect(styled.dropFirst().prefix(1) == plain.dropFirst().prefix(1))
  }

  @Test("the footer is dim")
  func footer() throws {
    let lines = try lines(["show", "universities"], ["TERM": "xterm", "NO_COLOR": ""])
    #expect(lines.contains("\u{1B}[2m3 of 3 records\u{1B}[0m"))
  }

  @Test(
    "nothing is styled with NO_COLOR, on a dumb terminal, or outside a terminal",
    arguments: [
      ["TERM": "xterm", "NO_COLOR": "0"], ["TERM": "dumb", "NO_COLOR": ""],
      ["TERM": "", "NO_COLOR": ""],
    ])
  func plain(_ environment: [String: String]) throws {
    for arguments in [["feeds"], ["show", "universities"]] {
      #expect(try !lines(arguments, environment).joined().contains("\u{1B}"))
      let file = try workspace.feedcore(arguments, environment: ["TERM": "xterm", "NO_COLOR": ""])
      #expect(!file.output.contains("\u{1B}"))
    }
  }
}
