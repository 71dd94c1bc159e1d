import Foundation
import TestSupport
import Testing

/// The commands of the README; its Swift code is compiled and run beside the articles'
/// (`ArticleTests`).
@Suite("The README")
struct ReadmeTests {
  private static let page = ShownPage(
    name: "README.md", program: "scripts/feedcore",
    exceptions: [
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
    ],
    drawings: [
      "file · stdin   ¼ MiB reads by a thread of their own, which inflates gzip and zstd; both are told"
    ])

  @Test("every command runs, and what it writes is what is shown")
  func commands() throws {
    #expect(try Self.page.run(in: ShownPage.root.path, Workspace()) >= 10)
    try Self.page.checkExceptions()
  }

  @Test("every block is a command, a drawing, Swift, which ArticleTests know, or C")
  func blocks() throws {
    for block in try Self.page.snippets().blocks where !Self.page.isShell(block) {
      // scripts/test-install makes a program of each block of C, and runs it.
      let isKnown = ["swift", "c"].contains(block.language) || Self.page.isDrawing(block)
      #expect(isKnown, "nobody runs this:\n\(block.lines.joined(separator: "\n"))")
    }
  }

  @Test(
    "every script, file and page that is named is there", arguments: ["README", "CONTRIBUTING"])
  func names(page: String) throws {
    let text = try String(
      contentsOf: ShownPage.root.appending(path: page + ".md"), encoding: .utf8)
    let scripts = text.matches(of: /\b(?:scripts|Examples|Benchmarks|Tests)\/[A-Za-z0-9_\/.-]*\w/)
      .map { String($0.output) }
    let links = text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.output.1) }
    #expect(!scripts.isEmpty && !links.isEmpty)
    // In `Tests/NAMETests` the name is the reader's to put in.
    for name in Set(scripts + links) where !name.contains("NAME") {
      let isThere = FileManager.default.fileExists(
        atPath: ShownPage.root.appending(path: name).path)
      #expect(isThere, "\(name)")
    }
  }
}
