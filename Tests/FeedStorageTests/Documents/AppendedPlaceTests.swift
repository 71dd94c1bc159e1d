import FeedSchema
import FeedStorage
import JSONStream
import TestSupport
import Testing

@Suite("The location of appended records")
struct AppendedPlaceTests {
  private func add(_ text: String, to store: DocumentStore) throws -> Feed {
    try store.ingest(file: text) { $0.appends = true }
  }

  @Test("is the feed's location, even if another container is larger")
  func samePlace() throws {
    let store = try DocumentStore(inMemory: true)
    try store.ingest(file: #"{"v":1,"items":[{"id":1,"text":"long enough"},{"id":2}],"more":[{}]}"#)
    let feed = try add(
      #"{"v":2,"items":[{"id":3}],"more":[{"id":7,"text":"longer"},{"id":8},{"id":9}]}"#, to: store)
    #expect(try store.records(feed).last == #"{"id":3}"#)
    #expect(feed.description.recordCount == 3)
    // A stream cannot be read twice. Its report names no other location either.
    var options = IngestOptions()
    options.feed = try FeedName("feed")
    (options.form, options.appends) = (.document, true)
    let push = store.database.push(from: "stream", options: options)
    try push.feed(Array(#"{"items":[{"id":4}],"more":[{"id":7,"text":"longer"},{"id":8}]}"#.utf8))
    let report = try push.finish()
    #expect(report.records == 1)
    #expect(report.otherRecords == nil)
  }

  @Test("is the feed's location, even beyond the inspected start of the document")
  func late() throws {
    let store = try DocumentStore(inMemory: true)
    try store.ingest(file: #"{"items":[{"id":1},{"id":2}]}"#)
    let early = String(repeating: #"{"id":8,"text":"early"},"#, count: 100_000)
    let feed = try add(#"{"early":[\#(early){}],"items":[{"id":3}]}"#, to: store)
    #expect(feed.description.recordCount == 3)
    #expect(try store.records(feed).last == #"{"id":3}"#)
  }

  @Test("is detected in a document that lacks the feed's location")
  func otherPlace() throws {
    let store = try DocumentStore(inMemory: true)
    try store.ingest(file: #"{"items":[{"id":1},{"id":2}]}"#)
    #expect(try add(#"[{"id":3}]"#, to: store).description.recordCount == 3)
    #expect(try add("{\"id\":4}\n{\"id\":5}", to: store).description.recordCount == 5)
  }

  @Test("must hold members if the feed has members; other records are refused without a change")
  func members() throws {
    let store = try DocumentStore(inMemory: true)
    try store.ingest(file: #"{"v":1,"zones":{"a":{"x":1},"b":{"x":2},"c":{"x":3}}}"#)
    let feed = try add(#"{"v":2,"other":{},"zones":{"d":{"x":4}}}"#, to: store)
    #expect(feed.description.recordCount == 4)
    for text in [#"[{"x":5}]"#, #"{"zones":[{"x":5}]}"#, "{\"x\":5}\n{\"x\":6}", "5"] {
      let error = #expect(throws: IngestError.self) { try add(text, to: store) }
      #expect(error?.message.contains("members of an object") == true, "\(error?.message ?? "")")
    }
    #expect(try add("[]", to: store).description.recordCount == 4)
  }
}

@Suite("Documents that are arrays")
struct ArrayDocumentTests {
  @Test("have a schema of the array type, and their columns cannot be listed")
  func schema() throws {
    let store = try DocumentStore(inMemory: true)
    let feed = try store.ingest(#"[["a",1],["b",2],["c",[3]]]"#)
    let schema = String(decoding: feed.description.schemaText, as: UTF8.self)
    #expect(schema.contains(#""type":"array""#), "\(schema)")
    #expect(!schema.contains(#""type":"object""#), "\(schema)")
    #expect(throws: QueryError.self) { try feed.allColumns() }
  }

  @Test("share a schema of both types with objects")
  func mixed() throws {
    let store = try DocumentStore(inMemory: true)
    let feed = try store.ingest(#"[["a"],{"k":1},{"k":2}]"#)
    let schema = String(decoding: feed.description.schemaText, as: UTF8.self)
    #expect(schema.contains(#""type":["array","object"]"#), "\(schema)")
  }
}
