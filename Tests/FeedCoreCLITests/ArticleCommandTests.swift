import Foundation
import TestSupport
import Testing

/// The commands of the articles. `ArticleTests` compiles and runs their Swift code.
@Suite("The commands of the articles")
struct ArticleCommandTests {
  private static let catalog = "Sources/FeedCore/FeedCore.docc/"

  private static func page(
    _ name: String, store: String? = nil, _ exceptions: [String: ShownPage.Exception]
  ) -> ShownPage {
    ShownPage(
      name: catalog + name, program: "feedcore", exceptions: exceptions, storePath: store)
  }

  private static let isInstalled = ShownPage.Exception.leftOut(
    because: "scripts/test-install does so into a prefix of its own")
  private static let isCompiled = ShownPage.Exception.leftOut(
    because: "scripts/test-install runs every line that begins with cc")

  /// The commands of the first page fill the store.
  private static let pages = [
    page(
      "IngestYourFirstDump.md", store: "/tmp/feeds",
      [
        "feedcore ingest bad.json": .failing(65),
        "feedcore sample --kind universities --records 1000000"
          + " | feedcore ingest - --feed dump":
          .changed([("1000000", "50000")], because: "a debug build takes long for a million"),
      ]),
    page(
      "CachePolicies.md",
      [
        "feedcore load universities --url https://example.com/universities.json":
          .leftOut(because: "there is nothing; LoadTests load from services of their own")
      ]),
    page(
      "OperatingServe.md", store: "/var/cache/feeds",
      [
        "feedcore serve --store /var/cache/feeds":
          .serving(
            "--http 127.0.0.1:0 --resp 127.0.0.1:0", because: "its ports may be in use"),
        "feedcore store backup /var/backups/feeds":
          .changed([("/var/backups/feeds", "backup")], because: "the directory is the system's"),
      ]),
    page("FileFormat.md", store: "/tmp/feeds", [:]),
    page(
      "TheCABI.md",
      [
        "scripts/install /opt/feedcore": isInstalled,
        "export PKG_CONFIG_PATH=/opt/feedcore/lib/pkgconfig": isInstalled,
        "cc program.c $(pkg-config --cflags --libs feedcore)": isCompiled,
        "cc program.c $(pkg-config --cflags --libs feedcore-static)": isCompiled,
      ]),
    page(
      "Python.md",
      [
        "pip install feedcore-*.whl": .leftOut(
          because: "scripts/test-release installs it into an environment of its own")
      ]),
    page("AnyJSON.md", store: "/tmp/feeds", [:]),
    page("AskingAFeed.md", store: "/tmp/feeds", [:]),
  ]

  @Test("every command runs and writes the output on the page")
  func commands() throws {
    let workspace = try Workspace()
    for name in ["Examples", "Tests"] {
      try FileManager.default.createSymbolicLink(
        atPath: workspace.path + "/" + name,
        withDestinationPath: ShownPage.root.appending(path: name).path)
    }
    let image = try workspace.file("a.png", "png")
    let put = try workspace.feedcore("images", "put", "https://example.com/a.png", image)
    #expect(put.status == 0)
    for page in Self.pages {
      #expect(try page.run(in: workspace.path, workspace) > 0)
      try page.checkExceptions()
      // The next pages show a store with one feed.
      _ = try workspace.feedcore("delete", "dump")
    }
  }

  @Test("every article with commands is in the list")
  func pages() throws {
    let sources = ShownPage.root.appending(path: "Sources").path
    let names = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
    let shown = try names.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.filter { name in
      let page = ShownPage(name: "Sources/" + name, program: "feedcore")
      return try page.snippets().blocks.contains(where: page.isShell)
    }
    #expect(shown.map { "Sources/" + $0 }.sorted() == Self.pages.map(\.name).sorted())
  }
}
