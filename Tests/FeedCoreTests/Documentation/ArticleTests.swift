import FeedCore
import Foundation
import TestSupport
import Testing

#if Remote
  import LoopbackServer
#endif

/// Gives the same answer to every request.
private struct Service: FeedHTTPClient {
  var body: String

  func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    FeedHTTPResponse(status: 200, body: FeedHTTPBody(Array(body.utf8)))
  }
}

@Suite("The documentation")
struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let pages = [root.appending(path: "README.md")] + articles

  /// The pages of all catalogs.
  private static var articles: [URL] {
    let sources = root.appending(path: "Sources")
    let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    return (names ?? []).filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted()
      .map { sources.appending(path: $0) }
  }

  private static var universities: String {
    root.appending(path: "Examples/universities.json").path
  }

  /// Trimmed lines, without empty lines and imports.
  private static func lines(_ text: some StringProtocol) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }

  /// The parts of a page between "```swift" and "```".
  private static func code(_ page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().map {
      lines($0.components(separatedBy: "\n```")[0])
    }
  }

  @Test("all Swift code of the README and the articles is in a compiled file")
  func codeIsCompiled() throws {
    let compiled = try [
      "FeedCoreTests/Documentation/ArticleCode.swift",
      "FeedCoreTests/Documentation/ReadmeCode.swift", "EmbeddingTests/ServerCode.swift",
    ].map { path in
      let file = Self.root.appending(path: "Tests/" + path)
      return Self.lines(try String(contentsOf: file, encoding: .utf8))
    }.joined(separator: "\n")
    var count = 0
    for page in Self.pages {
      for code in Self.code(try String(contentsOf: page, encoding: .utf8)) {
        count += 1
        let isCompiled = compiled.contains(code)
        #expect(isCompiled, "\(page.lastPathComponent) has code of its own:\n\(code)")
      }
    }
    #expect(count > 20)
  }

  @Test("the code of the articles about a store does what they say")
  func store() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    #expect(throws: StoreError.self) { try sharing(store: directory.path) }
    try overview(store: directory.path, dump: Self.universities)
    try ingesting(store: directory.path, dump: Self.universities)
    let database = try sharing(store: directory.path)
    try reading(database)
    try reporting(on: database)
    let name = try FeedName("universities")
    try replacing(name, by: Self.universities, in: database)
    #expect(try database.feedDescription(named: name)?.generation == 3)
    #expect(try tuned(store: directory.path).parsing.lanes == 1)
  }

  @Test("the code of the article about any JSON reads the events")
  func documents() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let dump = Self.root.appending(path: "Examples/events.ndjson").path
    try await FeedCoreTests.documents(store: directory.path, dump: dump)
    let database = try FeedDatabase.open(at: directory.path)
    let events = try database.existingFeed(named: FeedName("events"))
    #expect(try pushes(in: events) == 12)
  }

  @Test("the code of the article about a payload of your own ingests and reads it")
  func payload() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let database = try FeedDatabase.open(at: directory.path)
    let file = directory.path + "/recipes.json"
    let document = """
      {"recipes": [
        {"title": "Ful", "minutes": 40, "by": {"person": {"name": "Amal"}},
         "steps": ["soak", "boil"]},
        {"title": "Toast", "minutes": 5, "steps": []}
      ]}
      """
    try Data(document.utf8).write(to: URL(filePath: file))
    try recipes(from: file, in: database)
    let stored = try database.existingFeed(named: FeedName("recipes")).records(of: Recipe.self)
    #expect(stored.map(\.author) == ["Amal", nil])
    let feed = try favourites(stored, in: database)
    #expect(try database.existingFeed(named: feed.name).records(of: Recipe.self) == stored)
    try schemaText()
  }

  @Test("the code of the article about policies loads, saves and validates")
  func policies() async throws {
    let database = try FeedDatabase.open(at: "/dev/null")
    let url = try #require(URL(string: "https://example.com/feed"))
    let body = try String(
      contentsOf: Self.root.appending(path: "Examples/feed.json"), encoding: .utf8)
    try await loading(ArticleContractTests.images, from: url, in: database, Service(body: body))
  }

  @Test("the code of the page about presenting runs")
  func pages() {
    presenting([University(name: "A", country: "B", alphaTwoCode: "XX")])
  }

  #if Remote
    @Test("the code of the README, and of the articles about services, images and parsing, runs")
    func readme() async throws {
      try await Served.run { served in
        let place = ReadmePlace(served.directory.path)
        try place.store()
        #expect(place.printed.count == 55)
        #expect(place.printed.first == "54 1")
        #expect(
          place.printed.contains(
            #"Middle East Technical University ["https://www.metu.edu.tr/", "https://www.odtu.edu.tr/"]"#
          ))
        served.answer(#"{"recipes": [{"title": "Ful", "minutes": 40, "steps": ["soak", "boil"]}]}"#)
        let recipes = try await place.source(from: served.server.url, in: served.database)
        #expect(recipes.map(\.title) == ["Ful"])
        #expect(try place.images([1, 2, 3]) == 3)
        let bytes = try Data(contentsOf: URL(filePath: Self.universities))
        let before = place.printed.count
        try await place.parser(Array(bytes))
        #expect(place.printed.count >= before + 2 * 54 + 1)
        #expect(place.printed.last == "54")
      }
    }
  #endif
}
