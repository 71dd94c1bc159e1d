import CourseSupport
import FeedCore
import Foundation
import TestSupport
import Testing

@Suite("Cached feeds")
struct CachedFeedTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func insert(_ feed: String, days: Double) throws {
    let images = [
      FeedImage(id: UUID(), description: nil, location: nil, url: URL(filePath: "/image"))
    ]
    try FeedDatabase.open(at: workspace.store).insert(
      images, into: try FeedName(feed),
      referenceSeconds: Date().timeIntervalSinceReferenceDate - days * 86_400)
  }

  @Test(
    "validate deletes expired feeds, keeps the others, and reports each of them",
    .course(.essential, "Validate Feed Cache Use Case", "Primary course"),
    .course(.essential, "Validate Feed Cache Use Case", "Expired cache course"))
  func validate() throws {
    #expect(try workspace.feedcore("validate").output == "")
    #expect(try workspace.feedcore("validate", "old").output == "old: absent\n")
    try insert("old", days: 7)
    try insert("young", days: 6.9)
    let file = try workspace.file("universities.json", Payload.universities(["Alpha"]))
    #expect(
      try workspace.feedcore("ingest", file, "--timestamp", "2001-01-01T00:00:00Z").status == 0)
    #expect(
      try workspace.feedcore("validate", "old", "--policy", "characters").output == "old: valid\n")
    let outcome = try workspace.feedcore("validate")
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["old: expired, deleted", "universities: valid", "young: valid"])
    #expect(try workspace.records(of: "old") == nil)
    let json = try workspace.feedcore("validate", "--policy", "news", "--json").json()
    #expect(
      json as? [[String: String]] == [
        ["feed": "universities", "found": "expired"], ["feed": "young", "found": "valid"],
      ])
    #expect(try workspace.feedcore("validate", "--policy", "none").status == 64)
  }

  @Test(
    "validate deletes a feed that cannot be read, and keeps the others",
    .course(.essential, "Validate Feed Cache Use Case", "Retrieval error course"))
  func unreadable() throws {
    try insert("young", days: 1)
    let file = try workspace.file(
      "feed.json", #"{"mark":"an envelope to be damaged","items":[]}"#)
    #expect(try workspace.feedcore("ingest", file, "--kind", "feed").status == 0)
    try damage("an envelope to be damaged")
    #expect(try workspace.feedcore("load", "feed", "--offline").status == 74)
    let outcome = try workspace.feedcore("validate")
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["feed: unreadable, deleted", "young: valid"])
    #expect(try workspace.feedcore("validate", "feed").output == "feed: absent\n")
    #expect(try workspace.records(of: "young") == 1)
  }

  /// Changes a letter of a text wherever it occurs in the store's file.
  private func damage(_ text: String) throws {
    let url = URL(fileURLWithPath: workspace.store + "/feeds/data.mdb")
    var bytes = try Data(contentsOf: url)
    var count = 0
    while let place = bytes.range(of: Data(text.utf8)) {
      bytes[place.lowerBound] ^= 1
      count += 1
    }
    try #require(count > 0)
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test(
    "detail shows a university with its state and its links",
    .course(.universities, "Detail view Use Case", "Primary course"),
    .course(.universities, "Detail View, Narrative", "On the feed view"))
  func university() throws {
    let file = try workspace.file(
      "universities.json",
      #"[{"name":"A","web_pages":["https://a/","https://b/"],"country":"C","#
        + #""alpha_two_code":"CC","state-province":"S","domains":[]}]"#)
    #expect(try workspace.feedcore("ingest", file).status == 0)
    let outcome = try workspace.feedcore("detail", "universities", "A")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        name            A
        web_pages       https://a/
                        https://b/
        country         C
        alpha_two_code  CC
        state-province  S

        """)
    #expect(try workspace.feedcore("detail", "universities", "B").status == 1)
    #expect(try workspace.feedcore("detail", "none", "B").status == 66)
  }

  @Test("detail shows an article with its source and its whole text, and no control character")
  func article() throws {
    let file = try workspace.file(
      "news.json",
      #"{"articles":[{"source":{"id":null,"name":"S"},"title":"T","url":"https://e.com/a","#
        + #""publishedAt":"2020-05-20T11:24:59Z","content":"one\n\ntwo\u001b[2J"}]}"#)
    #expect(try workspace.feedcore("ingest", file).status == 0)
    let outcome = try workspace.feedcore("detail", "news", "https://e.com/a")
    #expect(outcome.lines.first == "source.name  S")
    #expect(outcome.output.contains("content      one\n\n             two"))
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test("detail names a field whose text begins with a line feed, and one whose text is empty")
  func emptyFirstLine() throws {
    let file = try workspace.file(
      "news.json",
      #"{"articles":[{"source":{"id":null,"name":""},"title":"T","url":"https://e.com/a","#
        + #""publishedAt":"2020-05-20T11:24:59Z","content":"\none"}]}"#)
    #expect(try workspace.feedcore("ingest", file).status == 0)
    #expect(
      try workspace.feedcore("detail", "news", "https://e.com/a").output == """
        source.name
        title        T
        url          https://e.com/a
        publishedAt  2020-05-20T11:24:59Z
        content
                     one

        """)
  }
}
