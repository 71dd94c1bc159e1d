import FeedStorage
import TestSupport
import Testing

@Suite("A conditional ingest") struct ConditionTests {
  private let feed: TestFeed
  private let old = TestFeed.Record.numbered(0..<10, value: "old")
  private let new = TestFeed.Record.numbered(0..<10, value: "new")

  init() throws {
    feed = try TestFeed()
  }

  @Test("replaces the feed while its generation is the wanted one")
  func met() throws {
    let first = try feed.ingest(old) { $0.condition = .absent }
    try feed.ingest(new) { $0.condition = .generation(first.generation) }
    #expect(try feed.all() == new)
  }

  @Test("changes nothing where someone else was faster")
  func unmet() throws {
    let first = try feed.ingest(old)
    try feed.ingest(old)
    let generations = try TestFeed.count("generations", feed.directory.path)
    for condition in [PublishCondition.generation(first.generation), .absent] {
      #expect(try code { try feed.ingest(new) { $0.condition = condition } } == .conflict)
    }
    #expect(try feed.all() == old)
    #expect(try TestFeed.count("generations", feed.directory.path) == generations)
  }

  @Test("is refused where the wanted generation's feed was deleted")
  func deleted() throws {
    let first = try feed.ingest(old)
    try feed.database.delete(FeedName("feed"))
    #expect(
      try code { try feed.ingest(new) { $0.condition = .generation(first.generation) } }
        == .conflict)
    #expect(try feed.database.feeds().isEmpty)
  }
}
