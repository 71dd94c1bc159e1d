import JSONStream
import TestSupport
import Testing

@Suite("Finding the records of a document")
struct RecordsFinderTests {
  /// A document, and the plan that a person would choose.
  struct Example: Sendable, CustomTestStringConvertible {
    var name: String
    var document: String
    var plan: String
    var records: [String]
    var keys: [String] = []
    var columns: [String]?

    var testDescription: String { name }
  }

  static let examples: [Example] = [
    Example(
      name: "array", document: #"[{"id":1}, {"id":2}]"#, plan: "array",
      records: [#"{"id":1}"#, #"{"id":2}"#]),
    Example(
      name: "array of anything", document: #"[1, "a", null, [2], {}]"#, plan: "array",
      records: ["1", #""a""#, "null", "[2]", "{}"]),
    Example(name: "empty array", document: "[ ]", plan: "array", records: []),
    Example(
      name: "wrapped", document: #"{"info":{"count":2},"results":[{"id":1},{"id":2}],"ok":true}"#,
      plan: "array /results", records: [#"{"id":1}"#, #"{"id":2}"#]),
    Example(
      name: "nested deeper",
      document:
        #"{"da/ta":{"page":1,"records of it":[{"id":"a"},{"id":"b","n":2.5,"m":"0123456789012"}]},"ok":true}"#,
      plan: "array /da~1ta/records of it",
      records: [#"{"id":"a"}"#, #"{"id":"b","n":2.5,"m":"0123456789012"}"#]),
    Example(
      name: "a short list under a known name and a long envelope",
      document:
        #"{"info":{"count":41,"next":null,"pages":3},"results":[{"name":"a"},{"name":"b"}]}"#,
      plan: "array /results", records: [#"{"name":"a"}"#, #"{"name":"b"}"#]),
    Example(
      name: "a record with a short list",
      document: #"{"id":41,"name":"x","address":"0123456789","posts":[{"name":"a"},{"name":"b"}]}"#,
      plan: "single",
      records: [
        #"{"id":41,"name":"x","address":"0123456789","posts":[{"name":"a"},{"name":"b"}]}"#
      ]),
    Example(
      name: "one record under a known name", document: #"{"total":1,"items":[{"id":"a","n":[1]}]}"#,
      plan: "array /items", records: [#"{"id":"a","n":[1]}"#]),
    Example(
      name: "keyed",
      document: #"{"x":{"a":1,"b":2},"\u0079":{"a":3,"b":4},"z":{"a":[{},{}],"c":5,"b":0}}"#,
      plan: "keyed",
      records: [#"{"a":1,"b":2}"#, #"{"a":3,"b":4}"#, #"{"a":[{},{}],"c":5,"b":0}"#],
      keys: ["x", "y", "z"]),
    Example(
      name: "keyed under a key",
      document: #"{"v":1,"packages":{"a":{"n":"1"},"b":{"n":"2"},"c":{"n":"3"}}}"#,
      plan: "keyed /packages", records: [#"{"n":"1"}"#, #"{"n":"2"}"#, #"{"n":"3"}"#],
      keys: ["a", "b", "c"]),
    Example(
      name: "objects that differ",
      document: #"{"size":{"w":1,"h":2},"author":{"name":"x"},"place":{"lat":1,"lon":2}}"#,
      plan: "single",
      records: [#"{"size":{"w":1,"h":2},"author":{"name":"x"},"place":{"lat":1,"lon":2}}"#]),
    Example(
      name: "GeoJSON, with a larger array beside it",
      document:
        #"{"type":"FeatureCollection","crs":[{"a":"0123456789"},{"a":"0123456789"},{"a":"01234"}],"features":[{"type":"Feature"}]}"#,
      plan: "array /features", records: [#"{"type":"Feature"}"#]),
    Example(
      name: "lines", document: "{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}", plan: "lines",
      records: [#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#]),
    Example(
      name: "lines, one of them no value", document: "{\"a\":1}\noops\n{\"a\":2}\n{\"a\":\n",
      plan: "lines", records: [#"{"a":1}"#, #"{"a":2}"#]),
    Example(
      name: "lines of scalars", document: "1\n\"a\"\ntrue\n", plan: "lines",
      records: ["1", #""a""#, "true"]),
    Example(
      name: "lines of arrays with a header", document: "[\"n\",\"s\"]\n[1,\"a\"]\n[2,\"b\"]\n",
      plan: "lines", records: [#"[1,"a"]"#, #"[2,"b"]"#], columns: ["n", "s"]),
    Example(
      name: "concatenated", document: #"{"a":1}{"a":2} [3] 4 5"#, plan: "concatenated",
      records: [#"{"a":1}"#, #"{"a":2}"#, "[3]", "4", "5"]),
    Example(
      name: "pretty values", document: "{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n", plan: "concatenated",
      records: ["{\n \"a\": 1\n}", "{\n \"a\": 2\n}"]),
    Example(
      name: "RFC 7464", document: "\u{1E}{\"a\":1}\n\u{1E}2\n\u{1E}{\"a\":\n\u{1E}[3]\n",
      plan: "sequence", records: [#"{"a":1}"#, "2", "[3]"]),
    Example(
      name: "rows with a header", document: #"[["id","na\u006de"],[1,"a"],[2,"b"]]"#, plan: "rows",
      records: [#"[1,"a"]"#, #"[2,"b"]"#], columns: ["id", "name"]),
    Example(
      name: "rows of different lengths", document: #"[["a","b"],["c"],["d","e"]]"#, plan: "array",
      records: [#"["a","b"]"#, #"["c"]"#, #"["d","e"]"#]),
    Example(
      name: "rows whose first one repeats a text", document: #"[["a","a"],[1,2],[3,4]]"#,
      plan: "array", records: [#"["a","a"]"#, "[1,2]", "[3,4]"]),
    Example(name: "a scalar", document: " 42 ", plan: "single", records: ["42"]),
    Example(
      name: "one object", document: #"{"name":"x","tags":["a","b","c"],"size":{"w":1}}"#,
      plan: "single", records: [#"{"name":"x","tags":["a","b","c"],"size":{"w":1}}"#]),
    Example(name: "an empty object", document: "{}", plan: "single", records: ["{}"]),
    Example(
      name: "no results", document: #"{"info":{"count":0,"next":null},"results":[]}"#,
      plan: "array /results", records: []),
    Example(
      name: "a record with an empty list", document: #"{"id":7,"name":"x","posts":[]}"#,
      plan: "single", records: [#"{"id":7,"name":"x","posts":[]}"#]),
    Example(
      name: "two empty lists", document: #"{"users":[],"posts":[]}"#, plan: "single",
      records: [#"{"users":[],"posts":[]}"#]),
    Example(
      name: "text after an object on its line", document: #"{"items":[{"a":1}]} x"#,
      plan: "array /items", records: [#"{"a":1}"#]),
    Example(
      name: "text after an array", document: "[{\"a\":1}]\n]", plan: "array",
      records: [#"{"a":1}"#]),
  ]

  private static func describe(_ plan: DocumentPlan) -> String {
    plan.path.isEmpty ? "\(plan.framing)" : "\(plan.framing) \(plan.pointer)"
  }

  private static func text(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  @Test("gives the plan that a person would choose", arguments: examples)
  func plan(example: Example) {
    let bytes = Array(example.document.utf8)
    let found = RecordsFinder.plan(head: bytes.span.bytes, isComplete: true)
    #expect(Self.describe(found.plan) == example.plan)
    #expect(found.records.map { Self.text(bytes, $0) } == example.records)
    let keys = found.keys.map { $0.string(in: bytes.span.bytes) }
    #expect(keys == example.keys)
    #expect(found.columns == example.columns)
  }

  @Test("gives records of the document only, wherever it is cut", arguments: examples)
  func cut(example: Example) throws {
    let bytes = Array(example.document.utf8)
    for end in 0...bytes.count {
      for isComplete in [false, true] {
        let head = bytes.span.bytes.extracting(0..<end)
        let found = RecordsFinder.plan(head: head, isComplete: isComplete)
        for record in found.records {
          try #require(record.upperBound <= end && !record.isEmpty)
          var cursor = JSONCursor(head, at: record.lowerBound)
          let range = cursor.skipValue()
          try #require(range == record)
        }
        try #require(found.keys.count == (found.plan.framing == .keyed ? found.records.count : 0))
        for pointer in ["", "/results", "/da~1ta/records of it", "/x/a"] {
          _ = try RecordsFinder.plan(for: pointer, head: head, isComplete: isComplete)
        }
      }
    }
  }

  @Test("ends for damaged documents")
  func damaged() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      for example in Self.examples {
        let bytes = Mutation.mutated(Array(example.document.utf8), using: &random)
        let found = RecordsFinder.plan(head: bytes.span.bytes, isComplete: .random(using: &random))
        #expect(found.records.allSatisfy { $0.upperBound <= bytes.count })
      }
    }
  }

  @Test("takes a number at the end of the head only if the document ends there")
  func cutNumber() {
    let bytes = Array("1\n2\n34".utf8)
    let whole = RecordsFinder.plan(head: bytes.span.bytes, isComplete: true)
    #expect(whole.records == [0..<1, 2..<3, 4..<6] && whole.hasAllRecords)
    let head = RecordsFinder.plan(head: bytes.span.bytes, isComplete: false)
    #expect(head.records == [0..<1, 2..<3] && !head.hasAllRecords)
  }

  @Test("samples 256 records, and says whether there are more")
  func samples() {
    for count in [255, 256, 257, 1_000] {
      let record = #"{"a":1}"#
      let records = [String](repeating: record, count: count)
      let keyed = records.enumerated().map { #""k\#($0)":\#($1)"# }
      for document in [
        "[\(records.joined(separator: ","))]", records.joined(separator: "\n"),
        records.joined(separator: " "), "{\(keyed.joined(separator: ","))}",
        "\u{1E}" + records.joined(separator: "\u{1E}"),
      ] {
        let bytes = Array(document.utf8)
        let found = RecordsFinder.plan(head: bytes.span.bytes, isComplete: true)
        #expect(found.records.count == min(count, 256))
        #expect(found.hasAllRecords == (count <= 256))
      }
    }
  }
}

@Suite("Finding the records of a document that is longer than the head")
struct LongDocumentTests {
  private func plan(_ head: String) -> RecordsFinder.Found {
    let bytes = Array(head.utf8)
    return RecordsFinder.plan(head: bytes.span.bytes, isComplete: false)
  }

  private func repeated(_ text: String, _ count: Int) -> String {
    [String](repeating: text, count: count).joined(separator: ",")
  }

  @Test("the array of objects in which the head ends is chosen, however small it is so far")
  func openArray() {
    let found = plan(#"{"meta":[\#(repeated(#"{"a":1}"#, 99))],"data":{"rows":[{"id":1},{"id":"#)
    #expect(found.plan == DocumentPlan(.array, at: ["data", "rows"]))
    #expect(found.records.count == 1)
    #expect(found.candidates.first?.pointer == "/meta")
    #expect(found.candidates.contains { $0.pointer == "/data/rows" && $0.isOpen })
  }

  @Test("an array with nine tenths of the head is chosen before a small one that is open")
  func nearlyAll() {
    let rows = repeated(#"{"a":"0123456789"}"#, 4_000)
    let found = plan(#"{"rows":[\#(rows)],"links":[{"href":"x"},{"href"#)
    #expect(found.plan == DocumentPlan(.array, at: ["rows"]))
  }

  @Test("similar objects are keyed records, unless one of them holds records itself")
  func openKeyed() {
    let members = (0..<50).map { #""k\#($0)":{"name":"\#($0)","list":[{"a":1},{"a":2}]}"# }
    let text = members.joined(separator: ",")
    #expect(plan("{\(text),\"z\":{\"name\":\"").plan == DocumentPlan(.keyed))
    #expect(plan("{\"v\":1,\"all\":{\(text),\"z\":{").plan == DocumentPlan(.keyed, at: ["all"]))
    let rows = repeated(#"{"a":"0123456789"}"#, 1_000)
    #expect(
      plan("{\(text),\"z\":{\"name\":\"\",\"list\":[\(rows),{").plan
        == DocumentPlan(.array, at: ["z", "list"]))
  }

  @Test("arrays of arrays with a header are rows, and any other container is found too")
  func others() {
    let rows = repeated("[1,2]", 100)
    #expect(plan(#"{"data":[["a","b"],\#(rows),[3"#).plan == DocumentPlan(.rows, at: ["data"]))
    #expect(plan(#"{"data":[\#(rows),[3"#).plan == DocumentPlan(.array, at: ["data"]))
    let words = (0..<100).map { #""w\#($0)":\#($0)"# }.joined(separator: ",")
    #expect(plan("{\(words),\"w").plan == DocumentPlan(.keyed))
    #expect(plan("{\"words\":{\(words),\"w").plan == DocumentPlan(.keyed, at: ["words"]))
    #expect(
      plan(#"{"numbers":[\#(repeated("1", 100)),2"#).plan == DocumentPlan(.array, at: ["numbers"]))
  }

  @Test("a closed array of objects with half of the head is chosen before an open container")
  func closed() {
    let rows = repeated(#"{"a":"0123456789"}"#, 100)
    let found = plan(#"{"rows":[\#(rows)],"meta":{"a":1,"b":"#)
    #expect(found.plan == DocumentPlan(.array, at: ["rows"]))
  }

  @Test("a feature collection has its records under features")
  func features() {
    let found = plan(#"{"type":"FeatureCollection","features":[{"a":1},{"a":"#)
    #expect(found.plan == DocumentPlan(.array, at: ["features"]))
  }

  @Test("the largest containers are reported, but nothing inside keyed records")
  func candidates() {
    let members = (0..<500).map { #""k\#($0)":{"n":[\#(repeated("1", $0 + 1))]}"# }
    let text = members.joined(separator: ",")
    let odd = plan("{\"v\":[1],\"map\":{\(text),\"odd\":1},\"open\":[{\"a\":1},{")
    #expect(
      odd.candidates.map(\.pointer) == ["/map"] + (493..<500).reversed().map { "/map/k\($0)/n" })
    let keyed = plan("{\"map\":{\(text),\"z\":{\"n\":[1,1,1")
    #expect(keyed.candidates.map(\.pointer) == ["/map"])
    #expect(keyed.candidates.map(\.isOpen) == [true])
  }

  @Test("objects are searched to a depth of eight")
  func depth() {
    for depth in [8, 9] {
      let open = (0..<depth).map { "{\"k\($0)\":" }.joined()
      let document = open + #"[{"a":1},{"a":2}]"# + String(repeating: "}", count: depth)
      let bytes = Array(document.utf8)
      let found = RecordsFinder.plan(head: bytes.span.bytes, isComplete: true)
      #expect(found.plan.framing == .single)
      // The array has less than half of the bytes; it is a candidate only within the depth.
      #expect(found.candidates.contains { $0.elementCount == 2 } == (depth == 8))
    }
  }
}

@Suite("Records at a pointer")
struct RecordsPointerTests {
  private static let document =
    #"{"a":{"list":[{"x":1},{"x":2}],"map":{"k":1,"l":[2]},"one":3},"rows":[["x"],[1],[2]]}"#

  private func plan(_ pointer: String, _ text: String = document, isComplete: Bool = true) throws
    -> RecordsFinder.Found
  {
    let bytes = Array(text.utf8)
    return try RecordsFinder.plan(for: pointer, head: bytes.span.bytes, isComplete: isComplete)
  }

  @Test("the first byte of the container decides")
  func containers() throws {
    let list = try plan("/a/list")
    #expect(list.plan == DocumentPlan(.array, at: ["a", "list"]))
    #expect(list.container == .array && list.records.count == 2)
    let map = try plan("/a/map")
    #expect(map.plan == DocumentPlan(.keyed, at: ["a", "map"]))
    #expect(map.container == .object && map.records.count == 2 && map.keys.count == 2)
    let rows = try plan("/rows")
    #expect(rows.plan == DocumentPlan(.rows, at: ["rows"]) && rows.columns == ["x"])
    #expect(try plan("").plan == DocumentPlan(.keyed))
    #expect(try plan("", "[1]").plan == DocumentPlan(.array))
    #expect(try plan("", "[1]\n[2]").plan == DocumentPlan(.lines))
  }

  @Test("a missing value, a scalar and an open container are distinguished")
  func absent() throws {
    #expect(try plan("/a/one").container == .number)
    let none = try plan("/a/none")
    #expect(none.container == nil && none.plan == DocumentPlan(.array, at: ["a", "none"]))
    #expect(none.candidates.map(\.pointer) == ["/a/list", "/a/map", "/rows", "/a/map/l"])
    #expect(try plan("/rows/0").container == nil)
    let later = try plan("/later", #"{"a":[{"b":1},"#, isComplete: false)
    #expect(later.container == nil && later.plan == DocumentPlan(.array, at: ["later"]))
    let open = try plan("/a", #"{"a":[{"b":1},{"#, isComplete: false)
    #expect(open.container == .array && open.records.count == 1 && !open.hasAllRecords)
  }

  @Test("text that is not a JSON Pointer is refused")
  func malformed() {
    #expect(throws: JSONPath.Fault.self) { try plan("a") }
    #expect(throws: JSONPath.Fault.self) { try plan("/a~2") }
  }
}
