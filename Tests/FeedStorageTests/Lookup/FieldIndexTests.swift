import FeedCore
import FeedRecord
import FeedSchema
import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("A feed that is indexed by further fields") struct FieldIndexTests {
  private let feed: TestFeed

  init() throws {
    feed = try TestFeed { $0.indexPairs = 600 }
  }

  private func records(_ range: Range<Int>) -> [TestFeed.Record] {
    range.map { TestFeed.Record(key: "key \($0)", value: "value \($0 % 7)") }
  }

  private func ingest(_ range: Range<Int>, mode: GenerationMode = .replace) throws {
    try feed.ingest(records(range), mode: mode) { $0.indexedFields = [2] }
  }

  private func keys(_ value: String, of other: TestFeed? = nil) throws -> [String] {
    var keys: [String] = []
    let bytes = Array(value.utf8)
    try (other ?? feed).database.forEachRecord(
      in: FeedName("feed"), whereField: 2, hasBytes: bytes.span.bytes
    ) { view, _ throws(StoreError) in
      keys.append(try TestFeed.Record(view).key)
      return true
    }
    return keys
  }

  @Test("returns the records of a value in document order after spilling and merging")
  func found() throws {
    try ingest(0..<50_000)
    for value in 0..<7 {
      let expected = stride(from: value, to: 50_000, by: 7).map { "key \($0)" }
      #expect(try keys("value \(value)") == expected)
    }
    #expect(try keys("value 7") == [])
    #expect(try feed.values("key 7") == ["value 0"])
  }

  @Test("reports its indexed fields, and an append keeps them")
  func appended() throws {
    try ingest(0..<100)
    try ingest(50..<200, mode: .append)
    try feed.ingest(records(200..<210), mode: .append)
    #expect(try feed.database.feedDescription(named: FeedName("feed"))?.indexedFields == [2])
    #expect(
      try keys("value 3") == stride(from: 3, to: 210, by: 7).map { "key \($0)" })
  }

  @Test("keeps its indexes when a program replaces its values")
  func inserted() throws {
    let schema = University.schema
    let country = try #require(schema.field(named: "country")?.id)
    let writer = try TestFeed.begin(feed.database, kind: schema.name, layout: schema.layout) {
      $0.keyField = schema.keyField.id
      $0.indexedFields = [country]
    }
    try writer.publish()
    let name = try FeedName("feed")
    let universities = ["a", "b"].map { University(name: $0, country: "X", alphaTwoCode: "XX") }
    let inserted = try feed.database.insert(universities, into: name, referenceSeconds: 1)
    #expect(inserted.indexedFields == [country])
    // Another kind has different fields with the same ids.
    let comment = ImageComment(id: UUID(), message: "", createdAt: Date(), username: "")
    let replaced = try feed.database.insert([comment], into: name, referenceSeconds: 1)
    #expect(replaced.indexedFields == [])
  }

  @Test("keeps the indexes that another layout of its kind supports")
  func relaidOut() throws {
    let wide = (1...4).map { RecordField(id: $0, type: .text) }
    let layout = try RecordLayout(schemaID: 8, fields: wide)
    try TestFeed.begin(feed.database, layout: layout) { $0.indexedFields = [2, 3, 4] }.publish()
    let narrow: [RecordField] = [
      RecordField(id: 1, type: .text), RecordField(id: 2, type: .date),
      RecordField(id: 3, type: .text), RecordField(id: 5, type: .text),
    ]
    let later = try RecordLayout(schemaID: 8, fields: narrow)
    let writer = try TestFeed.begin(feed.database, layout: later) {
      $0.indexedFields = [5]
      $0.keepsIndexes = true
    }
    try writer.publish()
    #expect(try feed.database.feedDescription(named: FeedName("feed"))?.indexedFields == [3, 5])
  }

  @Test("loses its indexes when it is replaced without them")
  func replaced() throws {
    try ingest(0..<10)
    try feed.ingest(records(0..<10))
    #expect(try code { _ = try keys("value 3") } == .misuse)
  }

  @Test(
    "gains indexes through an append, even for its earlier records", arguments: [0, 1 << 30])
  func indexedByAppend(smallFeedBytes: Int) throws {
    let feed = try TestFeed {
      $0.indexPairs = 600
      $0.smallFeedBytes = smallFeedBytes
    }
    try feed.ingest(records(0..<2_000))
    try feed.ingest(records(1_900..<3_000), mode: .append) { $0.indexedFields = [2] }
    try feed.ingest(records(2_900..<3_500), mode: .append)
    #expect(
      try keys("value 3", of: feed) == stride(from: 3, to: 3_500, by: 7).map { "key \($0)" })
    #expect(try feed.database.feedDescription(named: FeedName("feed"))?.indexedFields == [2])
    #expect(try feed.values("key 7") == ["value 0"])
  }

  @Test("refuses an append that would exceed the maximum number of indexes")
  func fullOfIndexes() throws {
    let fields = (1...10).map { RecordField(id: $0, type: .text) }
    let layout = try RecordLayout(schemaID: 8, fields: fields)
    try TestFeed.begin(feed.database, layout: layout) { $0.indexedFields = Array(2...9) }.publish()
    for added: [UInt16] in [[10], [2, 10]] {
      let failure = try code {
        _ = try TestFeed.begin(feed.database, layout: layout) {
          $0.mode = .append
          $0.indexedFields = added
        }
      }
      #expect(failure == .misuse)
    }
    try TestFeed.begin(feed.database, layout: layout) {
      $0.mode = .append
      $0.indexedFields = [3]
    }.publish()
    #expect(
      try feed.database.feedDescription(named: FeedName("feed"))?.indexedFields == Array(2...9))
  }

  @Test("leaves no index blocks when it is deleted")
  func deleted() throws {
    try ingest(0..<20_000)
    try feed.database.delete(FeedName("feed"))
    #expect(try TestFeed.count("index", feed.directory.path) == 0)
  }

  @Test("verifies a miss if no record has the field")
  func empty() throws {
    try feed.ingest([TestFeed.Record(key: "a", value: "")]) { $0.indexedFields = [2] }
    #expect(try keys("b") == [])
    #expect(try keys("") == ["a"])
  }

  @Test("cannot be indexed by a field that it does not have, nor by a date")
  func impossible() throws {
    #expect(
      try code { try feed.ingest(records(0..<1)) { $0.indexedFields = [9] } } == .misuse)
    let fields = [RecordField(id: 1, type: .text), RecordField(id: 2, type: .date)]
    let layout = try RecordLayout(schemaID: 8, fields: fields)
    #expect(
      try code {
        _ = try TestFeed.begin(feed.database, layout: layout, change: { $0.indexedFields = [2] })
      } == .misuse)
  }

  @Test("is looked up by whole numbers and by the elements of lists")
  func payload() throws {
    let schema = try PayloadSchema(
      name: "songs", identifier: 1_001, key: 1,
      fields: [
        .init(id: 1, "title", kind: .text),
        .init(id: 2, "year", kind: .integer, isRequired: false, isIndexed: true),
        .init(id: 3, "tags", kind: .textList, isRequired: false),
      ])
    let document = """
      [{"title": "A", "year": -1, "tags": ["x", "y", "x"]}, {"title": "B", "year": 1999},
       {"title": "C", "tags": ["y"]}, {"title": "D", "year": -1, "tags": []}]
      """
    let path = feed.directory.path + "/songs.json"
    try Data(document.utf8).write(to: URL(fileURLWithPath: path))
    var options = IngestOptions()
    options.schema = schema
    options.indexedFields = ["tags"]
    _ = try feed.database.ingest([path], options: options)
    let titles = { (name: String, value: String) throws in
      let field = try #require(schema.field(named: name))
      let bytes = try #require(schema.indexBytes(value, of: field))
      var titles: [String?] = []
      try feed.database.forEachRecord(
        in: FeedName("songs"), whereField: field.id, hasBytes: bytes.span.bytes
      ) { view, _ throws(StoreError) in
        do throws(RecordError) { titles.append(try view.text(1)) } catch { throw StoreError(error) }
        return true
      }
      return titles
    }
    #expect(try titles("year", "-1") == ["A", "D"])
    #expect(try titles("year", "1999") == ["B"])
    #expect(try titles("year", "2000") == [])
    #expect(try titles("tags", "x") == ["A"])
    #expect(try titles("tags", "y") == ["A", "C"])
    options.indexedFields = ["label"]
    let error = #expect(throws: IngestError.self) {
      _ = try feed.database.ingest([path], options: options)
    }
    #expect(error?.store?.code == .misuse)
  }
}
