import FeedSchema
import FeedStorage
import Foundation
import JSONStream
import TestSupport
import Testing

/// The golden store of documents: made once, never changed, and read by every later version.
/// `scripts/make-golden` made it.
struct GoldenDocuments {
  /// The recorded properties of a feed.
  struct Feed: Codable, Hashable {
    var name: String
    var schema: String
    var export: String
    /// The keys of its records, as people write them.
    var keys: [String?]
    /// The parts of the text around the records.
    var partCount: Int
  }

  static let directory = GoldenStore.root
    .appending(path: "Tests/FeedStorageTests/Golden/documents-v4").path
  private static let list = "documents.ndjson"

  /// A feed of each framing, and of each form that a span, a key and an envelope can have.
  static func make(_ store: DocumentStore) throws {
    func add(
      _ name: String, _ text: String, _ change: (inout IngestOptions) -> Void = { _ in }
    ) throws {
      try store.ingest(text, into: name) {
        $0.referenceSeconds = 86_400.125
        $0.parsing.lanes = 1
        change(&$0)
      }
    }
    let long = String(repeating: "0123456789", count: 7_000)
    try add(
      "array",
      #"[{"id":"a\u00e9\n","n":1.50e1,"x":null},{"id":"b","n":2,"u":{"v":[1]}},{"id":7.0,"u":{"v":"w"}}]"#
    ) {
      $0.key = ["id"]
      $0.indexedFields = ["n", "u.v", "x"]
    }
    try add("wrapped", #"{"page":{"n":1.0},"data":{"items":[{"id":1},{"id":2}]},"last":true}"#) {
      $0.records = "/data/items"
    }
    try add("keyed", #"{"q\"\\é":{"a":1},"\u006b":{"a":2},"":{"a":3},"z":4}"#) { $0.records = "" }
    try add("lines", "{\"id\":1}\n[2]\n\"three\"\nnull\n") { $0.key = ["#"] }
    try add("concatenated", #"{"id":1}{"id":2} {"id":3}"#)
    try add("sequence", "\u{1E}{\"id\":1}\n\u{1E}{\"id\":2}\n")
    try add("rows", #"[["id","b"],[1,"x"],[2,"y"],[3,null]]"#)
    try add("single", #"{"a":1.0,"a":"\/","b":[]}"#) { $0.isSingleRecord = true }
    try add("empty", "[]")
    try add("repeated", #"[{"id":1,"n":1,"id":"last","n":[2]},{"id":2,"\u0069d":3.0}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["n"]
    }
    try add("far", #"[{"id":1,"text":"\#(long)","z":"end"},{"id":2,"z":[]},{"text":"s"}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["text", "z"]
    }
    try add("composed", #"[{"a":"x","b":{"c":1.0}},{"a":"x","b":{"c":2}},{"a":"\n"}]"#) {
      $0.key = ["a", "b.c"]
    }
    try add("parts", #"{"s":"\#(long)","items":[{"id":1},{"id":2}],"t":["\#(long)"]}"#) {
      $0.records = "/items"
    }
    try add("appended", #"[{"id":1,"a":"x"}]"#) { $0.indexedFields = ["a"] }
    try add("appended", #"[{"id":2,"a":["y"],"new":{"b":true}}]"#) { $0.appends = true }
  }

  /// The properties of the feeds in a store.
  static func feeds(of store: DocumentStore) throws -> [Feed] {
    try store.database.feeds().map { description in
      let feed = try store.database.existingFeed(named: description.name)
      return Feed(
        name: description.name.text,
        schema: String(decoding: description.schemaText, as: UTF8.self),
        export: try store.export(feed), keys: try store.keys(feed),
        partCount: description.envelopeChunks)
    }
  }

  /// The recorded properties of the feeds in the golden store.
  static func feeds() throws -> [Feed] {
    let text = try String(contentsOfFile: "\(directory)/\(list)", encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Feed.self, from: Data(line.utf8))
    }
  }

  /// A copy to open, because opening a store writes files next to it.
  static func copy() throws -> DocumentStore {
    let copy = try TemporaryDirectory()
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: copy.path + "/feeds", withIntermediateDirectories: false)
    try manager.copyItem(
      atPath: directory + "/feeds/data.mdb", toPath: copy.path + "/feeds/data.mdb")
    return DocumentStore(store: try TestFeed(at: copy))
  }

  /// Copies the data file in its current state and records its contents.
  static func write(_ store: DocumentStore, to directory: String) throws {
    let manager = FileManager.default
    try? manager.removeItem(atPath: directory)
    try manager.createDirectory(
      atPath: directory + "/feeds", withIntermediateDirectories: true)
    try manager.copyItem(
      atPath: store.database.directory + "/feeds/data.mdb",
      toPath: directory + "/feeds/data.mdb")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Data()
    for feed in try feeds(of: store) { lines += try encoder.encode(feed) + [0x0A] }
    try lines.write(to: URL(filePath: "\(directory)/\(list)"))
  }
}

@Suite("The golden store of documents")
struct GoldenDocumentsTests {
  private static let target = ProcessInfo.processInfo.environment["FEEDCORE_GOLDEN"]

  @Test("has the recorded feeds, and no fault")
  func feeds() throws {
    let store = try GoldenDocuments.copy()
    let feeds = try GoldenDocuments.feeds(of: store)
    for (found, expected) in zip(feeds, try GoldenDocuments.feeds()) {
      #expect(found == expected, "\(expected.name)")
    }
    #expect(try feeds.count == GoldenDocuments.feeds().count)
    #expect(feeds.contains { $0.partCount > 1 })
    #expect(try store.findings() == [])
  }

  @Test("has records that are found by their keys and indexed values")
  func keys() throws {
    let store = try GoldenDocuments.copy()
    func feed(_ name: String) throws -> Feed {
      try store.database.existingFeed(named: FeedName(name))
    }
    for recorded in try GoldenDocuments.feeds() {
      let whole = try feed(recorded.name)
      let records = try store.records(whole)
      for (record, key) in zip(records, recorded.keys) {
        if let key { #expect(try store.records(whole, key) == [record], "\(key)") }
      }
    }
    // The last value of a repeated key counts.
    #expect(try store.records(feed("repeated"), "1").isEmpty)
    #expect(try store.records(feed("repeated"), "last").count == 1)
    #expect(try store.records(feed("repeated"), "3").count == 1)
    #expect(try store.records(feed("repeated"), where: ["n"], is: "1").isEmpty)
    #expect(try store.records(feed("composed"), "x", "1") == [#"{"a":"x","b":{"c":1.0}}"#])
    #expect(try store.records(feed("array"), where: ["n"], is: "15").count == 1)
    #expect(try store.records(feed("array"), where: ["u", "v"], is: "w").count == 1)
    #expect(try store.records(feed("far"), where: ["z"], is: "end").isEmpty)
    #expect(try store.records(feed("far"), where: ["text"], is: "s").count == 1)
    #expect(try store.records(feed("appended"), where: ["a"], is: "x").count == 1)
  }

  @Test("accepts an append")
  func append() throws {
    let store = try GoldenDocuments.copy()
    let feed = try store.ingest(#"[{"id":8,"n":15},{"id":"b","n":2,"u":{"v":[1]}}]"#, into: "array")
    {
      $0.appends = true
    }
    #expect(feed.description.recordCount == 4)
    #expect(try store.records(feed, where: ["n"], is: "15").count == 2)
    #expect(try store.records(feed, "8").count == 1)
    #expect(try store.findings() == [])
  }

  @Test("has the records, keys and surrounding texts that the current code makes")
  func remade() throws {
    let store = try DocumentStore()
    try GoldenDocuments.make(store)
    let feeds = try GoldenDocuments.feeds(of: store)
    let recorded = try GoldenDocuments.feeds()
    for (made, recorded) in zip(feeds, recorded) {
      var made = made
      // A later version may describe the values in more detail.
      made.schema = recorded.schema
      #expect(made == recorded, "\(recorded.name)")
    }
    #expect(feeds.count == recorded.count)
  }

  @Test(
    "is created by scripts/make-golden",
    .enabled(if: target != nil, "FEEDCORE_GOLDEN names no directory"))
  func make() throws {
    let target = try #require(Self.target)
    let store = try DocumentStore()
    try GoldenDocuments.make(store)
    try GoldenDocuments.write(store, to: target + "/documents")
  }
}
