import FeedSchema
import FeedStorage
import TestSupport
import Testing

@Suite("Copies of feeds in another store")
struct FeedCopyTests {
  private let target: DocumentStore

  init() throws { target = try DocumentStore(inMemory: true) }

  @Test("documents of every framing keep their export, keys, indexes and schema")
  func documents() throws {
    let source = try DocumentStore(inMemory: true)
    try GoldenDocuments.make(source)
    // Numbers of generations differ between the stores.
    try target.ingest("[1]", into: "other")
    for description in try source.database.feeds() {
      let feed = try source.database.existingFeed(named: description.name)
      try target.database.copy(feed)
      let copy = try target.database.existingFeed(named: description.name)
      #expect(try target.export(copy) == source.export(feed))
      #expect(try target.keys(copy) == source.keys(feed))
      #expect(copy.description.schemaText == feed.description.schemaText)
      #expect(copy.description.indexedFields == feed.description.indexedFields)
      #expect(copy.description.referenceSeconds == feed.description.referenceSeconds)
      for case let key? in try source.keys(feed) {
        #expect(try target.records(copy, key) == source.records(feed, key))
      }
    }
    #expect(try target.findings() == [])
  }

  @Test("feeds of all earlier versions keep their records", arguments: GoldenStore.allCases)
  func golden(golden: GoldenStore) throws {
    let directory = try golden.copy()
    let source = try FeedDatabase.open(at: directory.path)
    for description in try source.feeds() {
      try target.database.copy(source.existingFeed(named: description.name))
    }
    #expect(try GoldenStore.records(of: target.database) == golden.records())
    #expect(try target.findings() == [])
  }

  @Test("a feed of several segments is copied to a single segment, with its index")
  func segments() throws {
    let source = try DocumentStore(
      store: TestFeed(inMemory: true) { $0.smallFeedBytes = 0 })
    try source.ingest(#"[{"id":1,"type":"a"},{"id":2,"type":"b"}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["type"]
    }
    let feed = try source.ingest(#"[{"id":3,"type":"a"}]"#) { $0.appends = true }
    try target.database.copy(feed)
    let copy = try target.database.existingFeed(named: feed.description.name)
    #expect(try target.records(copy) == source.records(feed))
    #expect(try target.records(copy, where: ["type"], is: "a").count == 2)
    #expect(try target.records(copy, "3") == [#"{"id":3,"type":"a"}"#])
    // The copy accepts an append like any other feed.
    let appended = try target.ingest(#"[{"id":4,"type":"a"}]"#) { $0.appends = true }
    #expect(try target.records(appended, where: ["type"], is: "a").count == 3)
    #expect(try target.findings() == [])
  }

  @Test("a copy replaces the feed with its name, unless the copy is cancelled")
  func replacing() throws {
    let source = try DocumentStore(inMemory: true)
    let feed = try source.ingest(#"[{"id":1}]"#)
    try target.ingest(#"[{"old":1}]"#)
    let name = feed.description.name
    let error = #expect(throws: StoreError.self) {
      try target.database.copy(feed) { true }
    }
    #expect(error?.code == .cancelled)
    #expect(try target.records(target.database.existingFeed(named: name)) == [#"{"old":1}"#])
    try target.database.copy(feed)
    #expect(try target.records(target.database.existingFeed(named: name)) == [#"{"id":1}"#])
    let own = #expect(throws: StoreError.self) { try source.database.copy(feed) }
    #expect(own?.code == .misuse)
  }
}
