import Foundation
import TestSupport
import Testing

/// The commands of the README, run in its order in one store; its Swift code is compiled and run
/// beside the articles' (`ArticleTests`).
@Suite("The README")
struct ReadmeTests {
  /// What becomes of a command that is not run as it stands.
  private enum Exception {
    /// It is run by somebody else, or not at all.
    case leftOut(because: String)
    /// It is run with other words, and its output is compared with these words in it.
    case changed([(from: String, to: String)], because: String)
    /// It is run as it stands, and ends with this status.
    case failing(Int32)
    /// It is run with further options until it has written what is shown, and is then asked to end.
    case serving(String, because: String)
  }

  private static let exceptions: [String: Exception] = [
    "scripts/test": .leftOut(because: "it is what runs this test"),
    "cc program.c $(pkg-config --cflags --libs feedcore)":
      .leftOut(because: "scripts/test-install runs every line that begins with cc"),
    "cc program.c $(pkg-config --cflags --libs feedcore-static)":
      .leftOut(because: "scripts/test-install runs every line that begins with cc"),
    #"printf '[{"name": "A", "country": "B", "alpha_two_code": "C", "web_pages": ["x", 7]}]' "#
      + "| scripts/feedcore check -": .failing(65),
    "scripts/feedcore sample --kind universities --records 5000000"
      + " | scripts/feedcore ingest - --feed dump":
      .changed(
        [("5000000", "50000"), ("5,000,000", "50,000")],
        because: "a debug build takes minutes for five millions"),
    "scripts/feedcore serve":
      .serving(
        "--http 127.0.0.1:0 --resp 127.0.0.1:0", because: "its ports may be somebody else's"),
  ]

  /// First lines of blocks that are drawings.
  private static let drawings: Set = [
    "file · stdin   1 MiB reads by a thread of their own, which inflates gzip and zstd; both are told"
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private let workspace: Workspace
  private let snippets: ReadmeSnippets

  init() throws {
    workspace = try Workspace()
    snippets = ReadmeSnippets(
      try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8))
  }

  @Test("every command runs, and what it writes is what is shown")
  func commands() throws {
    var count = 0
    for block in snippets.blocks where isShell(block) {
      for command in block.commands {
        count += 1
        try check(command)
      }
    }
    #expect(count >= 10)
  }

  @Test("every block is a command, a drawing, Swift, which ArticleTests know, or C")
  func blocks() throws {
    for block in snippets.blocks where !isShell(block) {
      // scripts/test-install makes a program of each block of C, and runs it.
      let isKnown =
        ["swift", "c"].contains(block.language) || Self.drawings.contains(block.lines.first ?? "")
      #expect(isKnown, "nobody runs this:\n\(block.lines.joined(separator: "\n"))")
    }
  }

  @Test("no exception is left of a command that the README no longer shows")
  func exceptions() {
    let shown = Set(snippets.blocks.filter(isShell).flatMap(\.commands).map(\.line))
    for line in Self.exceptions.keys { #expect(shown.contains(line), "\(line)") }
    for drawing in Self.drawings {
      let isShown = snippets.blocks.contains { $0.lines.first == drawing }
      #expect(isShown, "\(drawing)")
    }
  }

  @Test(
    "every script, file and page that is named is there", arguments: ["README", "CONTRIBUTING"])
  func names(page: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: page + ".md"), encoding: .utf8)
    let scripts = text.matches(of: /\b(?:scripts|Examples|Benchmarks|Tests)\/[A-Za-z0-9_\/.-]*\w/)
      .map { String($0.output) }
    let links = text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.output.1) }
    #expect(!scripts.isEmpty && !links.isEmpty)
    // In `Tests/NAMETests` the name is the reader's to put in.
    for name in Set(scripts + links) where !name.contains("NAME") {
      let isThere = FileManager.default.fileExists(atPath: Self.root.appending(path: name).path)
      #expect(isThere, "\(name)")
    }
  }

  // MARK: Running

  private func isShell(_ block: ReadmeSnippets.Block) -> Bool {
    block.language.isEmpty && !Self.drawings.contains(block.lines.first ?? "")
  }

  private func check(_ command: ReadmeSnippets.Command) throws {
    switch Self.exceptions[command.line] {
    case nil: try check(command, status: 0)
    case .leftOut: break
    case .failing(let status): try check(command, status: status)
    case .changed(let words, _):
      let change = { (text: String) in
        words.reduce(text) { $0.replacing($1.from, with: $1.to) }
      }
      try check(
        .init(line: change(command.line), output: command.output.map(change)), status: 0)
    case .serving(let options, _):
      try check(.init(line: command.line + " " + options, output: command.output), status: nil)
    }
  }

  /// - Parameter status: what it ends with; nil for what runs until it is asked to end, and tells in
  ///   no order of what it has begun
  private func check(_ command: ReadmeSnippets.Command, status: Int32?) throws {
    let file = workspace.path + "/shown"
    let running = try workspace.start(shell: inRoot(command.line), outputAndErrors: file)
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

  /// A command as the shell is given it: in the root of the clone, with the program of this build.
  private func inRoot(_ line: String) throws -> String {
    let program = "'\(try Binary.path())'"
    let line = line.replacing("scripts/feedcore", with: program)
    // Without a shell around it, so that it is told itself to end.
    let prefix = line.contains("|") ? "" : "exec "
    return "cd '\(Self.root.path)' && \(prefix)\(line)"
  }

  private func lines(of file: String) throws -> [String] {
    var lines = String(decoding: try workspace.contents(file), as: UTF8.self)
      .components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// A line with its figures of speed, time and memory, and its ports, left open.
  private func form(_ line: String) -> String {
    line.replacing(/[0-9.,]+ [kKMG]?B(?=[\/,]|$)/, with: "# B").replacing(
      /[0-9.]+ s\b/, with: "# s"
    )
    .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:#")
  }
}
