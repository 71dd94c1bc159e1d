import FeedSchema
import FeedStorage
import JSONStream
import TestSupport
import Testing

@Suite("A feed of documents")
struct DocumentFeedTests {
  @Test("keeps the text of each record, except for white space outside strings")
  func texts() throws {
    let store = try DocumentStore()
    let feed = try store.ingest(
      """
      [ { "b" : 1.50e3, "a" : [ 1 , "x  y", {} ], "a": null, "\\u00e9\\n" : -0 },
        {"id":2,"long": "\(String(repeating: "text ", count: 60_000))"} ]
      """)
    #expect(
      try store.records(feed) == [
        #"{"b":1.50e3,"a":[1,"x  y",{}],"a":null,"\u00e9\n":-0}"#,
        #"{"id":2,"long":"\#(String(repeating: "text ", count: 60_000))"}"#,
      ])
    #expect(try store.findings().isEmpty)
  }

  @Test("finds a record by an id that is a number, a string or a boolean")
  func identifiers() throws {
    let store = try DocumentStore()
    let feed = try store.ingest(
      #"{"id": 505874924095815681}"#, #"{"id": 7.0}"#, #"{"id": "a \u00e9"}"#, #"{"id": true}"#,
      #"{"id": ""}"#)
    #expect(feed.schema.document?.key != .position)
    #expect(try store.records(feed, "505874924095815681") == [#"{"id":505874924095815681}"#])
    #expect(try store.records(feed, "505874924095815680") == [])
    #expect(try store.records(feed, "7") == [#"{"id":7.0}"#])
    #expect(try store.records(feed, "a é") == [#"{"id":"a \u00e9"}"#])
    #expect(try store.records(feed, "true") == [#"{"id":true}"#])
    #expect(try store.records(feed, "") == [#"{"id":""}"#])
    #expect(try store.keys(feed) == ["505874924095815681", "7", "a é", "true", ""])
    #expect(try store.findings().isEmpty)
  }

  @Test("keeps records without a usable key, and no key finds them")
  func missingKeys() throws {
    let store = try DocumentStore()
    let feed = try store.ingest(
      #"[{"k":null},{"k":[1]},{"k":{"a":1}},{"x":1},{"k":"b"}]"#
    ) { $0.key = ["k"] }
    #expect(try store.records(feed, "b") == [#"{"k":"b"}"#])
    for key in ["", "null", "[1]"] { #expect(try store.records(feed, key) == []) }
    #expect(try store.keys(feed) == [nil, nil, nil, nil, "b"])
    #expect(try store.findings().isEmpty)
  }

  @Test("finds a record by its position if no field distinguishes the records")
  func positions() throws {
    let store = try DocumentStore()
    let feed = try store.ingest((0..<500).map { "{\"x\":\($0 % 3)}\n" }.joined())
    #expect(feed.schema.document?.key == .position)
    #expect(try store.records(feed, "#4") == [#"{"x":1}"#])
    #expect(try store.records(feed, "499") == [#"{"x":1}"#])
    for key in ["#500", "-1", "x", "#", "99999999999999999999"] {
      #expect(try store.records(feed, key) == [])
    }
    #expect(try store.keys(feed).last == "#499")
    #expect(try store.findings().isEmpty)
  }

  @Test("finds a record by a composite key")
  func composedKey() throws {
    let store = try DocumentStore()
    let feed = try store.ingest(
      #"[{"a":"x","b":{"c":1.0}},{"a":"x","b":{"c":2}},{"a":"\n","b":{"c":1}},{"a":"x"}]"#
    ) { $0.key = ["a", "b.c"] }
    #expect(try store.records(feed, "x", "1") == [#"{"a":"x","b":{"c":1.0}}"#])
    #expect(try store.records(feed, "\n", "1") == [#"{"a":"\n","b":{"c":1}}"#])
    #expect(try store.records(feed, "x", "3") == [])
    #expect(try store.findings().isEmpty)
  }

  @Test("finds records by indexed values at any depth of objects")
  func indexes() throws {
    let store = try DocumentStore()
    let feed = try store.ingest(
      #"[{"id":1,"u":{"c":"GR"}},{"id":2,"u":{"c":"FR"}},{"id":3,"u":{"c":"GR"}},{"id":4}]"#
    ) { $0.indexedFields = ["u.c", "never"] }
    #expect(
      try store.records(feed, where: ["u", "c"], is: "GR")
        == [#"{"id":1,"u":{"c":"GR"}}"#, #"{"id":3,"u":{"c":"GR"}}"#])
    #expect(try store.records(feed, where: ["never"], is: "x") == [])
    #expect(try store.records(feed, "2") == [#"{"id":2,"u":{"c":"FR"}}"#])
    #expect(try store.findings().isEmpty)
  }

  @Test("takes the last or the first value of a repeated key as its key")
  func repeatedKeys() throws {
    let store = try DocumentStore()
    let text = #"[{"id":1,"id":2}]"#
    let last = try store.ingest(text) { $0.key = ["id"] }
    #expect(try store.records(last, "2").count == 1 && store.records(last, "1").isEmpty)
    let first = try store.ingest(text) {
      $0.key = ["id"]
      $0.parsing.duplicateKeys = .first
    }
    #expect(try store.records(first, "1").count == 1 && store.records(first, "2").isEmpty)
  }

  @Test("is the same with any number of lanes and any validation")
  func lanes() throws {
    let records = (0..<6_000).map { index in
      let list = (0..<index % 4).map { #"{"v":\#($0),"w":"\#(index)"}"# }
      return
        #"{"id":\#(index), "name": "n\u00e9\#(index)", "l":[\#(list.joined(separator: " ,"))]}"#
    }
    let text = "[" + records.joined(separator: ",\n") + "]"
    var results: [(texts: [String], schema: [UInt8])] = []
    for lanes in [1, 2, 3] {
      for validation in JSONOptions.Validation.allCases {
        let store = try DocumentStore()
        let feed = try store.ingest(text) {
          $0.parsing.lanes = lanes
          $0.parsing.validation = validation
          $0.parsing.laneBytes = 20_000
        }
        results.append((try store.records(feed), feed.description.schemaText))
      }
    }
    #expect(results[0].texts.count == 6_000)
    #expect(results[0].texts[3] == records[3].replacing(" ", with: ""))
    for result in results.dropFirst() {
      #expect(result.texts == results[0].texts && result.schema == results[0].schema)
    }
  }

  @Test("keeps its key, ids and indexes after an append, and its statistics grow")
  func append() throws {
    let store = try DocumentStore()
    let first = #"[{"id":1,"a":{"b":"x"}},{"id":2,"a":{"b":"y"}}]"#
    let second = #"[{"id":2,"a":{"b":"y"}},{"id":"3","new":true}]"#
    try store.ingest(first) { $0.indexedFields = ["a.b"] }
    let feed = try store.ingest(second) { $0.appends = true }
    #expect(feed.description.recordCount == 3, "an equal record is not added again")
    #expect(try store.records(feed, "3") == [#"{"id":"3","new":true}"#])
    #expect(try store.records(feed, where: ["a", "b"], is: "y").count == 1)
    let schema = String(decoding: feed.description.schemaText, as: UTF8.self)
    #expect(schema.contains(#""new":{"type":"boolean""#))
    #expect(schema.contains(#""count":4"#) || schema.contains(#""count":3"#))
    #expect(try store.findings().isEmpty)
  }

  @Test("refuses an append with another key or a new index")
  func appendOfOtherFields() throws {
    let store = try DocumentStore()
    try store.ingest(#"[{"id":1,"a":{"b":"x"},"c":1}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["a.b"]
    }
    let more = #"[{"id":2,"a":{"b":"y"},"c":2}]"#
    for key in [["c"], ["id", "c"], ["#"], ["member"]] {
      #expect(throws: IngestError.self, "\(key)") {
        try store.ingest(more) { ($0.appends, $0.key) = (true, key) }
      }
    }
    #expect(throws: IngestError.self) {
      try store.ingest(more) { ($0.appends, $0.indexedFields) = (true, ["c"]) }
    }
    let feed = try store.ingest(more) {
      $0.appends = true
      $0.key = ["/id"]
      $0.indexedFields = ["/a/b", "id"]
    }
    #expect(feed.description.recordCount == 2)
    #expect(try store.records(feed, where: ["a", "b"], is: "y").count == 1)
  }

  @Test("keeps its indexes by their paths when it is replaced")
  func replacementKeepsIndexes() throws {
    let store = try DocumentStore()
    try store.ingest(#"[{"id":1,"a":"x","b":"y"}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["a", "b"]
    }
    // The fields have different numbers in the new feed.
    let feed = try store.ingest(#"[{"b":"z","k":"1","a":"w"},{"b":"v","k":"2","a":"w"}]"#) {
      $0.key = ["k"]
      $0.keepsIndexes = true
    }
    #expect(try store.records(feed, "2").count == 1)
    #expect(try store.records(feed, where: ["a"], is: "w").count == 2)
    #expect(try store.records(feed, where: ["b"], is: "v").count == 1)
    #expect(feed.schema.documentField(["id"]) == nil)
    #expect(try store.findings().isEmpty)
  }

  @Test("finds records by key paths in quotes or in JSON Pointer form")
  func quotedPaths() throws {
    let store = try DocumentStore()
    let text = #"[{"a.b":{"c[0]":"x"},"\"":1,"":true,"member":5,"0":"y"}]"#
    for (key, value) in [
      (#""a.b"."c[0]""#, "x"), ("/a.b/c[0]", "x"), (#""\"""#, "1"), ("/\"", "1"), (#""""#, "true"),
      ("/", "true"), ("member", "5"), ("/0", "y"),
    ] {
      let feed = try store.ingest(text) { $0.key = [key] }
      #expect(try store.records(feed, value).count == 1, "\(key)")
      // The path is stored, and read again.
      let added = try store.ingest(text) { ($0.appends, $0.key) = (true, [key]) }
      #expect(added.description.recordCount == 1)
      let composed = try store.ingest(text) { $0.key = [key, "member"] }
      #expect(try store.records(composed, value, "5").count == 1, "\(key)")
    }
  }

  @Test(
    "is not created with an invalid path", arguments: ["", "a..b", "a[0]", "a[]", #""a"#, "/~2"])
  func badPaths(path: String) throws {
    let store = try DocumentStore()
    for key in [[path], ["id", path]] {
      #expect(throws: IngestError.self) { try store.ingest(#"[{"id":1}]"#) { $0.key = key } }
    }
    #expect(throws: IngestError.self) {
      try store.ingest(#"[{"id":1}]"#) { $0.indexedFields = [path] }
    }
  }

  @Test("is not created if the location of the records is not a JSON Pointer")
  func badPointer() throws {
    let store = try DocumentStore()
    for text in [#"{"a":[1]}"#, "[1]", "1\n2\n", ""] {
      do {
        try store.ingest(text) { $0.records = "a" }
        Issue.record("\(text) was ingested")
      } catch let error as IngestError {
        #expect(error.store?.code == .misuse, "\(error)")
      }
    }
  }

  @Test("is sound if a span cannot cover the value of a key", arguments: [false, true])
  func farKey(isEscaped: Bool) throws {
    let long = (isEscaped ? "\\n" : "") + String(repeating: "k", count: 70_000)
    let store = try DocumentStore()
    let feed = try store.ingest(#"[{"id":"\#(long)","n":1},{"id":"b","n":2}]"#) { $0.key = ["id"] }
    #expect(try store.records(feed, "b") == [#"{"id":"b","n":2}"#])
    #expect(try store.findings() == [])
  }

  @Test("finds records by values that follow a long string with escapes")
  func keyAfterDecoded() throws {
    let long = "\\n" + String(repeating: "k", count: 50_000)
    let store = try DocumentStore()
    let feed = try store.ingest(#"[{"a":"\#(long)","id":"b","n":2.50}]"#) {
      $0.key = ["id"]
      $0.indexedFields = ["a", "n"]
    }
    #expect(try store.records(feed, "b").count == 1)
    #expect(try store.records(feed, where: ["n"], is: "2.5").count == 1)
    #expect(try store.findings() == [])
  }
}
