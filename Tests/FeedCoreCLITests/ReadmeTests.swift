import Foundation
import TestSupport
import Testing

/// The commands of the README. `ArticleTests` compiles and runs its Swift code together with that
/// of the articles.
@Suite("The README")
struct ReadmeTests {
  private static let isReleased = ShownPage.Exception.leftOut(
    because: "scripts/test-release installs the artefacts into roots of their own")

  private static let page = ShownPage(
    name: "README.md", program: "scripts/feedcore",
    exceptions: [
      "pip install feedcore-*.whl": isReleased,
      "sudo apt install ./feedcore_*_amd64.deb": isReleased,
      "sudo apt install ./libfeedcore-dev_*_amd64.deb": isReleased,
      "tar xf feedcore-*-linux-x86_64.tar.xz": isReleased,
      "scripts/test": .leftOut(because: "it is what runs this test"),
      #"printf '[{"name": "A", "country": "B", "alpha_two_code": "C", "web_pages": ["x", 7]}]' "#
        + "| scripts/feedcore check --kind universities -": .failing(65),
      "scripts/feedcore sample --kind universities --records 5000000"
        + " | scripts/feedcore ingest - --feed dump":
        .changed(
          [("5000000", "50000"), ("5,000,000", "50,000")],
          because: "a debug build takes minutes for five millions"),
      "scripts/feedcore serve":
        .serving(
          "--http 127.0.0.1:0 --resp 127.0.0.1:0", because: "its ports may be in use"),
    ])

  @Test("every command runs and writes the output on the page")
  func commands() throws {
    #expect(try Self.page.run(in: ShownPage.root.path, Workspace()) >= 7)
    try Self.page.checkExceptions()
  }

  @Test("every block is a command, Swift code that ArticleTests compiles, or Python")
  func blocks() throws {
    for block in try Self.page.snippets().blocks where !Self.page.isShell(block) {
      // python/tests/test_pages.py runs the code in Python.
      let isTested = ["swift", "python"].contains(block.language)
      #expect(isTested, "no test runs this:\n\(block.lines.joined(separator: "\n"))")
    }
  }

  @Test(
    "every named script, file and page exists",
    arguments: ["README.md", "CONTRIBUTING.md", "docs/design.md", "Benchmarks/README.md"])
  func names(page: String) throws {
    let url = ShownPage.root.appending(path: page)
    let text = try String(contentsOf: url, encoding: .utf8)
    let names = text.matches(
      of: /\b(?:scripts|Examples|Benchmarks|Tests|Sources|docs|include)\/[A-Za-z0-9_\/.+-]*\w/
    ).map { ShownPage.root.appending(path: String($0.output)) }
    let links = text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/)
      .map { url.deletingLastPathComponent().appending(path: String($0.output.1)) }
    #expect(!names.isEmpty && !links.isEmpty)
    // `NAME` is a placeholder in `Tests/NAMETests`.
    for name in Set(names + links) where !name.path.contains("NAME") {
      let exists = FileManager.default.fileExists(atPath: name.path)
      #expect(exists, "\(page): \(name.path)")
    }
  }
}
