import FeedSchema
import FeedStorage
import JSONStream
import LMDB
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ImageSweepTests {
  let images: TestImages

  init() throws { images = try TestImages() }

  @Test("a sweep removes and reports images that are not listed or have expired")
  func sweep() throws {
    for number in 0..<10 { try images.insert("\(number)", TestImages.bytes(300_000)) }
    try images.insert("expired", [1, 2], expires: 1_500)
    images.now = 2_000
    let report = try images.store.sweep(keeping: ["3", "4", "expired", "unknown"])
    #expect(try images.urls() == ["3", "4"])
    #expect(report.removed == 9)
    #expect(report.expired == 1)
    #expect(report.damaged == 0)
    #expect(report.freedBytes == 8 * 300_000 + 2)
    #expect(try images.bytes("3") == TestImages.bytes(300_000))
    #expect(try images.store.check() == [])
    #expect(try images.store.sweep(keeping: ["3", "4"]).removed == 0)
  }

  @Test("expired images alone can be removed")
  func removeExpired() throws {
    try images.insert("a", [1])
    try images.insert("b", [1], expires: 1_500)
    try images.insert("c", [1], expires: 2_500)
    images.now = 1_500
    #expect(try images.store.removeExpired().removed == 1)
    #expect(try images.urls() == ["a", "c"])
  }

  @Test("a sweep of thousands uses bounded transactions and leaves nothing")
  func many() throws {
    for number in 0..<6_000 { try images.insert("\(number)", [1]) }
    #expect(try images.store.sweep(keeping: ["5999"]).removed == 5_999)
    #expect(try images.urls() == ["5999"])
    #expect(try images.store.check() == [])
  }

  @Test("an image that is stored during a sweep is kept")
  func meanwhile() throws {
    try images.insert("old", [1])
    try images.insert("renewed", [1])
    // The URLs to keep are requested after the sweep has listed the images.
    let urls = AnySequence { () -> IndexingIterator<[String]> in
      try? images.insert("renewed", [2])
      try? images.insert("new", [3])
      return [].makeIterator()
    }
    #expect(try images.store.sweep(keeping: urls).removed == 1)
    #expect(try images.urls() == ["renewed", "new"])
  }

  // MARK: Feeds

  private func ingest(
    _ text: String, into name: String, _ database: FeedDatabase, as schema: PayloadSchema? = nil
  ) throws {
    let directory = try TemporaryDirectory()
    var options = IngestOptions()
    options.schema = schema
    options.feed = try FeedName(name)
    let path = directory.path + "/payload.json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    _ = try database.ingest([path], options: options)
  }

  private let feed = """
    {"items":[
      {"id":"59916DC3-F218-4838-A5DA-7AA34188137B","image":"https://a.example/1"},
      {"id":"59916DC3-F218-4838-A5DA-7AA34188137C","image":"https://a.example/2"}]}
    """
  private let news = """
    {"articles":[{"source":{"id":null,"name":"n"},"author":null,"title":"t","description":null,
      "url":"https://b.example/page","urlToImage":"https://b.example/1",
      "publishedAt":"2020-05-20T11:24:59Z","content":null},
     {"source":{"id":null,"name":"n"},"author":null,"title":"t","description":null,
      "url":"https://b.example/other","urlToImage":null,
      "publishedAt":"2020-05-20T11:24:59Z","content":null}]}
    """
  private let characters = """
    {"results":[{"name":"n","status":"s","species":"h","image":"https://c.example/1"}]}
    """

  @Test("a sweep keeps the images of every feed, and those only")
  func feeds() throws {
    let database = try FeedDatabase.open(at: images.directory.path)
    try ingest(feed, into: "one", database)
    try ingest(news, into: "two", database)
    try ingest(characters, into: "three", database)
    try ingest(#"{"items":[]}"#, into: "none", database, as: .feed)
    let kept: Set = [
      "https://a.example/1", "https://a.example/2", "https://b.example/1", "https://c.example/1",
    ]
    for url in kept { try images.insert(url, [1]) }
    // The page of an article is no image, though its field is a URL.
    try images.insert("https://b.example/page", [1])
    try images.insert("https://a.example/3", [1])
    try images.store.sweep(keepingImagesOf: database)
    #expect(try images.urls() == kept)
  }

  @Test("saving a feed again removes no image; a sweep keeps those it still names")
  func savedAgain() throws {
    let database = try FeedDatabase.open(at: images.directory.path)
    try ingest(feed, into: "one", database)
    for number in 1...2 { try images.insert("https://a.example/\(number)", [1]) }
    let shorter = """
      {"items":[{"id":"59916DC3-F218-4838-A5DA-7AA34188137B","image":"https://a.example/2"}]}
      """
    try ingest(shorter, into: "one", database)
    #expect(try images.urls().count == 2)
    try images.store.sweep(keepingImagesOf: database)
    #expect(try images.urls() == ["https://a.example/2"])
  }

  @Test("an image is kept even if Foundation writes its URL differently")
  func escapedURL() throws {
    let directory = try TemporaryDirectory()
    let database = try FeedDatabase.open(at: directory.path)
    let text = "https://a.example/picture?sizes=[1]"
    let feed = """
      {"items":[{"id":"59916DC3-F218-4838-A5DA-7AA34188137B","image":"\(text)"}]}
      """
    try ingest(feed, into: "one", database)
    let url = try #require(URL(string: text))
    #expect(url.absoluteString != text)
    #expect(ImageURL.text(text) == url.absoluteString)
    try images.store.insert(Data([1]), for: url)
    try images.insert("https://a.example/other", [1])
    try images.store.sweep(keepingImagesOf: database)
    #expect(try images.urls() == [url.absoluteString])
  }

  @Test("a feed of an unknown kind keeps every image that its texts name")
  func unknownKind() throws {
    let feed = try TestFeed()
    try feed.ingest([
      TestFeed.Record(key: "https://d.example/1", value: "x"),
      TestFeed.Record(key: "y", value: "https://d.example/2"),
    ])
    for number in 1...3 { try images.insert("https://d.example/\(number)", [1]) }
    try images.store.sweep(keepingImagesOf: feed.database)
    #expect(try images.urls() == ["https://d.example/1", "https://d.example/2"])
  }

  @Test("a sweep reads all segments and blocks of a feed")
  func longFeed() throws {
    let feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<20_000))
    try feed.ingest(TestFeed.Record.numbered(20_000..<40_000), mode: .append)
    let numbers = [0, 1, 19_999, 20_000, 39_999, 40_000]
    for number in numbers { try images.insert("key \(number)", [1]) }
    try images.store.sweep(keepingImagesOf: feed.database)
    #expect(try images.urls() == Set(numbers.dropLast().map { "key \($0)" }))
  }

  @Test("nothing is removed if a feed cannot be read")
  func damagedFeed() throws {
    let feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<20_000))
    let environment = try Environment.open(feed.directory.path + "/feeds", .init(tables: []))
    let blocks = try environment.table("blocks")
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      let last = try transaction.reading { view throws(LMDBError) in
        var cursor = try view.cursor(blocks)
        _ = try cursor.last()
        return Array(copying: cursor.key)
      }
      try transaction.delete(blocks, last.span.bytes)
    }
    try images.insert("a", [1])
    #expect(
      try code { try images.store.sweep(keepingImagesOf: feed.database) } == .damaged)
    #expect(try images.urls() == ["a"])
  }
}
