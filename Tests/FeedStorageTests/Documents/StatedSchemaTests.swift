import FeedSchema
import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Documents with a schema file")
struct StatedSchemaTests {
  private func stated(_ text: String) throws -> StatedSchema {
    let bytes = Array(text.utf8)
    guard case .documents(let stated) = try SchemaFile(bytes.span.bytes) else {
      throw SchemaFault()
    }
    return stated
  }

  private struct SchemaFault: Error {}

  /// The misfits of an ingest, as text.
  private func misfits(
    _ document: String, _ schema: String, appends: Bool = false, in given: DocumentStore? = nil
  ) throws -> [String] {
    let store = try given ?? DocumentStore()
    let path = store.store.directory.path + "/input.json"
    try Data(document.utf8).write(to: URL(filePath: path))
    var options = IngestOptions()
    options.feed = try FeedName("feed")
    options.stated = try stated(schema)
    options.appends = appends
    return try store.database.ingest([path], options: options).misfits.map { misfit in
      let count = misfit.count.map { " ×\($0)" } ?? ""
      let first = misfit.firstRecord.map { " @\($0)" } ?? ""
      return "\(misfit.path): \(misfit.expected), not \(misfit.found)\(count)\(first)"
    }
  }

  // MARK: What the file fixes

  @Test("have the key, the indexes and the ids that it states")
  func fields() throws {
    let store = try DocumentStore()
    let schema = try stated(
      #"""
      {"x-feedcore": {"key": ["user.mail"], "index": ["kind"]},
       "properties": {
        "id": {"x-feedcore": {"id": 9}},
        "city": {"x-feedcore": {"id": 4, "index": true}},
        "user": {"properties": {"mail": {"x-feedcore": {"id": 2}}}}}}
      """#)
    let feed = try store.ingest(
      #"[{"id":1,"city":"Bonn","user":{"mail":"a@b"},"kind":"x"}]"#
    ) { $0.stated = schema }
    #expect(feed.schema.keyTexts == ["user.mail"])
    #expect(feed.schema.fields.map(\.id) == [2, 4, 9, 10])
    #expect(feed.schema.fields.map(\.pathText) == ["user.mail", "city", "id", "kind"])
    #expect(feed.schema.fields.filter(\.isIndexed).map(\.id) == [4, 10])
    #expect(try store.records(feed, "a@b").count == 1)
    #expect(try store.findings().isEmpty)
  }

  @Test("have their records at the location that it states")
  func place() throws {
    let store = try DocumentStore()
    let document =
      #"{"a":[{"x":1},{"x":2}],"big":[{"y":"\#(String(repeating: "y", count: 99))"},{"y":2}]}"#
    for (place, count) in [
      (#""records": "/a""#, 2), (#""records": "/a", "framing": "array""#, 2),
      (#""framing": "single""#, 1), (#""records": "", "framing": "keyed""#, 2),
      (#""records": "/big""#, 2), (#""framing": "lines""#, 1),
    ] {
      let schema = try stated(#"{"x-feedcore": {\#(place)}}"#)
      let feed = try store.ingest(file: document) { $0.stated = schema }
      #expect(feed.description.recordCount == count, "\(place)")
    }
    let schema = try stated(#"{"x-feedcore": {"records": "/a", "framing": "keyed"}}"#)
    #expect(throws: IngestError.self) { try store.ingest(document) { $0.stated = schema } }
    #expect(try store.findings().isEmpty)
  }

  @Test("may be an array, lines or concatenated values, whichever of these it states")
  func sequences() throws {
    let store = try DocumentStore()
    let texts = [
      "[\n{\"id\":1},\n{\"id\":2}\n]", "{\"id\":1}\n{\"id\":2}\n", #"{"id":1} {"id":2}"#,
    ]
    for framing in ["array", "lines", "concatenated"] {
      let schema = try stated(#"{"x-feedcore": {"records": "", "framing": "\#(framing)"}}"#)
      for text in texts {
        let feed = try store.ingest(text) { $0.stated = schema }
        #expect(try store.records(feed, "2") == [#"{"id":2}"#], "\(framing)")
      }
    }
  }

  @Test(
    "result in the same feed if the file is its stored schema",
    arguments: [
      (#"[{"id":1,"a":{"b":"x"}},{"id":2}]"#, ["a.b"], [String]()),
      (#"{"data":{"k1":{"a":1},"k2":{"a":2},"k3":{"a":3}}}"#, ["a"], []),
      (#"[{"a":"x","b":1},{"a":"x","b":2}]"#, ["b"], ["a", "b"]),
      ("[1,2,3]", [], []), (#"[1,{"a":1},"x",{"a":2,"b":[{}]}]"#, [], []), ("[{},{}]", [], []),
      (#"{"a":1}"#, [], []),
    ])
  func roundTrip(_ document: String, _ indexes: [String], _ key: [String]) throws {
    let store = try DocumentStore()
    let feed = try store.ingest(file: document) { options in
      options.indexedFields = indexes
      options.key = key
    }
    let text = String(decoding: feed.description.schemaText, as: UTF8.self)
    let copy = try store.ingest(file: document, into: "copy") { $0.stated = try? stated(text) }
    #expect(String(decoding: copy.description.schemaText, as: UTF8.self) == text)
    #expect(try misfits(document, text).isEmpty)
    #expect(try store.findings().isEmpty)
  }

  // MARK: Appending

  @Test("are not appended to a feed with different ids or a different key")
  func append() throws {
    let store = try DocumentStore()
    let schema = #"{"x-feedcore":{"key":["id"]},"properties":{"id":{"x-feedcore":{"id":6}}}}"#
    #expect(try misfits(#"[{"id":1}]"#, schema, in: store).isEmpty)
    func failure(_ schema: String) throws -> String? {
      do {
        _ = try misfits(#"[{"id":2}]"#, schema, appends: true, in: store)
        return nil
      } catch let error as IngestError {
        return error.message
      }
    }
    #expect(
      try failure(#"{"properties":{"id":{"x-feedcore":{"id":4}}}}"#)
        == "id has id 4 in the schema, but id 6 in the feed feed")
    #expect(
      try failure(#"{"properties":{"city":{"x-feedcore":{"id":6}}}}"#)
        == "id 6 is city in the schema, but id in the feed feed")
    #expect(
      try failure(#"{"x-feedcore":{"key":["city"]}}"#)?.hasPrefix("the key of the feed is id")
        == true)
    #expect(try failure(schema) == nil)
    #expect(try store.database.existingFeed(named: FeedName("feed")).description.recordCount == 2)
  }

  @Test("are not appended to a feed that has a contract")
  func contract() throws {
    let store = try DocumentStore()
    try store.ingest(
      #"[{"name":"a","country":"b","alpha_two_code":"c","domains":[],"web_pages":[]}]"#
    ) {
      $0.form = .contract
    }
    #expect(throws: IngestError.self) {
      try misfits(#"[{"name":"b"}]"#, "{}", appends: true, in: store)
    }
  }

  // MARK: Misfits

  @Test("have misfits by type, with a count and the first record")
  func types() throws {
    let schema = #"""
      {"type":"object","properties":{"n":{"type":"integer"},"f":{"type":["number","null"]},
       "o":{"properties":{"s":{"type":"string"}}},"l":{"items":{"type":"string"}}}}
      """#
    #expect(
      try misfits(
        #"[{"n":1,"f":1,"l":["a"]},{"n":1.5,"f":null,"o":{"s":1}},7,{"n":"x","o":{"s":true},"l":[1,2]}]"#,
        schema) == [
          "(record): object, not integer ×1 @3",
          "n: integer, not number ×1 @2", "n: integer, not string ×1 @4",
          "o.s: string, not boolean ×1 @4", "o.s: string, not integer ×1 @2",
          "l[]: string, not integer ×2 @4",
        ])
    #expect(
      try misfits("[{},{\"a\":1}]", #"{"type":"array"}"#) == ["(record): array, not object ×2"])
  }

  @Test("have misfits by missing and unexpected members")
  func members() throws {
    let schema = #"""
      {"required":["id","o"],"properties":{"id":{},"o":{"required":["a"],"properties":{"a":{}}},
       "l":{"items":{"required":["s"]}}, "closed":{"additionalProperties":false},
       "map":{"additionalProperties":{"type":"integer"}}}}
      """#
    #expect(
      try misfits(
        #"[{"id":1,"o":{"a":1}},{"o":{}},{"id":2,"l":[{"s":1},{},{}]},{"id":3,"o":{"b":1},"#
          + #""closed":{"x":1},"map":{"k":1,"j":"s"}}]"#,
        schema) == [
          "id: a value, not none ×1", "o: a value, not none ×1", "o.a: a value, not none ×2",
          "l[].s: a value, not none ×2", "closed.x: no such key, not a value ×1 @4",
          "map.j: integer, not string ×1 @4",
        ])
  }

  @Test("have misfits by range, length, format and choice")
  func values() throws {
    let schema = #"""
      {"properties":{"n":{"minimum":1,"maximum":5},"s":{"minLength":2,"maxLength":3},
       "e":{"enum":["a","é"]},"u":{"type":"string","format":"uuid"},"d":{"format":"date-time"}}}
      """#
    #expect(
      try misfits(
        #"[{"n":1,"s":"ab","e":"a","d":"2025-02-25T00:02:00Z"},{"n":5,"s":"abc","e":"\u00e9"}]"#,
        schema
      ).isEmpty)
    #expect(
      try misfits(
        #"[{"n":0.5,"s":"a","e":"b","u":"x","d":"y"},{"n":6,"s":"abcd","e":1}]"#, schema) == [
          "n: at least 1, not 0.5", "n: at most 5, not 6", "s: at least 2 bytes, not 1",
          "s: at most 3 bytes, not 4", "e: string, not integer ×1 @2",
          #"e: "a" or "é", not "b""#, "u: the format uuid, not another text",
          "d: the format date-time, not another text",
        ])
  }

  @Test("have only the misfits of appended records, numbered as in the feed")
  func appended() throws {
    let store = try DocumentStore()
    let schema = #"{"x-feedcore":{"key":["id"]},"properties":{"id":{"type":"integer"}}}"#
    #expect(try misfits(#"[{"id":"a"},{"id":1}]"#, schema, in: store).count == 1)
    #expect(
      try misfits(#"[{"id":2},{"id":"b"}]"#, schema, appends: true, in: store)
        == ["id: integer, not string ×1 @4"])
  }
}
