@_spi(Ingest) import FeedRecord
import FeedSchema
import JSONStream
import Testing

@Suite("The five payload contracts")
struct ContractTests {
  @Test("each is a schema with a key and unique field ids")
  func schemas() {
    let schemas = PayloadCatalog.standard.schemas
    #expect(schemas.map(\.name) == ["universities", "feed", "comments", "characters", "news"])
    #expect(schemas.map(\.identifier) == [1, 2, 3, 4, 5])
    #expect(schemas.map(\.keyField.name) == ["name", "id", "id", "name", "url"])
    for schema in schemas { #expect(Set(schema.fields.map(\.id)).count == schema.fields.count) }
  }

  @Test("they name the fields that are image URLs")
  func images() {
    let names = PayloadCatalog.standard.schemas.map { $0.fields.filter(\.isImage).map(\.name) }
    #expect(names == [[], ["image"], [], ["image"], ["urlToImage"]])
  }

  @Test("only a URL field can be an image URL")
  func imageOfAnotherKind() {
    #expect(throws: SchemaError.self) {
      try PayloadSchema(
        name: "x", identifier: 1_000, key: 1,
        fields: [.init(id: 1, "image", kind: .text, isImage: true)])
    }
  }

  static let samples: [(kind: String, record: String)] = [
    (
      "universities",
      #"{"name":"São \"P\"","domains":["a.br"],"web_pages":["http://a.br/","b"],"country":"Brazil","alpha_two_code":"BR","state-province":null}"#
    ),
    ("feed", #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","image":"https://e.com/1.jpg"}"#),
    (
      "feed",
      #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","description":"d","location":null,"image":"https://e.com/1.jpg"}"#
    ),
    (
      "comments",
      #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59Z","author":{"username":"u"}}"#
    ),
    (
      "characters",
      #"{"name":"Rick","status":"Alive","species":"Human","image":"https://e.com/r.png"}"#
    ),
    (
      "news",
      #"{"source":{"id":null,"name":"N"},"author":"A","title":"T","description":null,"url":"https://e.com/a","urlToImage":null,"publishedAt":"2019-05-08T00:22:40.25Z","content":"…"}"#
    ),
  ]

  @Test("a record round-trips in its contract's form, and its kind is detected", arguments: samples)
  func roundTrip(_ sample: (kind: String, record: String)) throws {
    let document = sample.kind == "universities" ? "[\(sample.record)]" : nil
    let key = PayloadCatalog.standard.schema(named: sample.kind)?.recordKey ?? ""
    let records = try map(document ?? #"{"\#(key)":[\#(sample.record)]}"#)
    #expect(records.schema?.name == sample.kind)
    #expect(records.json == [sample.record])
    // The same record in lines, alone, and again from the written text.
    let lines = try map(sample.record + "\n" + sample.record)
    #expect(lines.schema?.name == sample.kind)
    #expect(lines.json == [sample.record, sample.record])
    #expect(try map(sample.record).json == [sample.record])
  }

  @Test("unknown keys are ignored and the last of repeated keys counts")
  func repeatedKeys() throws {
    let records = try map(
      #"""
      {"results":[{"id":1,"origin":{"name":"no"},"name":"first","name":"R","status":["x"],
      "status":"s","species":"h","episode":["a",{"b":[]}],"image":"https://e.com/r"}]}
      """#)
    #expect(
      records.json == [#"{"name":"R","status":"s","species":"h","image":"https://e.com/r"}"#])
  }

  @Test("a repeated parent object replaces the one before it")
  func repeatedParent() throws {
    let start = #"{"articles":[{"source":{"id":"i","name":"old"},"source":"#
    let rest = #","title":"T","url":"https://e.com/a","publishedAt":"2019-05-08T00:22:40Z"}]}"#
    let records = try map(start + #"{"name":"new"}"# + rest)
    #expect(records.json.first?.contains(#""source":{"name":"new"}"#) == true)
    let error = try #require(failure(of: start + "null" + rest))
    #expect(error.reason.contains("source.name"))
  }

  struct Fault: Sendable {
    var kind: String
    var record: String
    var pointer: String
    var reason: String
  }

  static let faults = [
    Fault(
      kind: "feed", record: #"{"image":"https://e.com"}"#, pointer: "", reason: "id is missing"),
    Fault(
      kind: "feed", record: #"{"id":7,"image":"https://e.com"}"#, pointer: "/id", reason: "UUID"),
    Fault(
      kind: "feed", record: #"{"id":"2AB2AE66","image":"https://e.com"}"#, pointer: "/id",
      reason: "UUID"),
    Fault(
      kind: "feed", record: #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","image":"http://a b/"}"#,
      pointer: "/image", reason: "expected a URL"),
    Fault(
      kind: "feed", record: #"{"id":null,"image":"https://e.com"}"#, pointer: "/id", reason: "null"),
    Fault(
      kind: "comments",
      record:
        #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20","author":{"username":"u"}}"#,
      pointer: "/created_at", reason: "a date"),
    Fault(
      kind: "comments",
      record:
        #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59Z","author":"u"}"#,
      pointer: "/author", reason: "an object"),
    Fault(
      kind: "universities",
      record: #"{"name":"n","country":"c","alpha_two_code":"cc","web_pages":["a",1]}"#,
      pointer: "/web_pages/1", reason: "list of strings"),
    Fault(
      kind: "universities",
      record: #"{"name":"n","country":{},"alpha_two_code":"cc","web_pages":[]}"#,
      pointer: "/country", reason: "found an object"),
    Fault(kind: "characters", record: #"[1,2]"#, pointer: "", reason: "expected a record"),
  ]

  @Test("a record that breaks its contract is reported with field and path", arguments: faults)
  func faulty(_ fault: Fault) throws {
    let schema = try #require(PayloadCatalog.standard.schema(named: fault.kind))
    let document = schema.recordKey.map { #"{"\#($0)":[\#(fault.record)]}"# } ?? "[\(fault.record)]"
    let error = try #require(failure(of: document, as: schema))
    #expect(error.kind == .schema)
    #expect(error.pointer == (schema.recordKey.map { "/\($0)" } ?? "") + "/0" + fault.pointer)
    #expect(error.reason.contains(fault.reason), "\(error)")
    #expect(error.record == 1)
  }

  @Test("a record of no known kind and a document without records have different errors")
  func unknownShape() throws {
    let unknown = try #require(failure(of: #"[{"colour":"red"}]"#))
    #expect(unknown.kind == .shape && unknown.record == 1)
    let empty = try #require(failure(of: "[]"))
    #expect(empty.kind == .shape)
    #expect(failure(of: "[]", as: .universities) == nil)
    let scalar = try #require(failure(of: "7"))
    #expect(scalar.kind == .shape)
  }

  @Test("a key is found under the hash of its bytes")
  func keyHash() throws {
    let records = try map(
      #"{"items":[{"id":"2ab2ae66-a4b7-4a16-b374-51bbac8db086","image":"https://e.com"}]}"#)
    let key = try #require(PayloadSchema.feed.keyBytes("2AB2AE66-a4b7-4A16-B374-51BBAC8DB086"))
    #expect(key.count == 16)
    let hash = KeyHash.hash(key.span.bytes)
    #expect(records.hashes == [hash])
    #expect(PayloadSchema.feed.keyBytes("no uuid") == nil)
  }

  @Test("records round-trip when the width of their offsets changes between them")
  func offsetWidths() throws {
    // Escapes make a record shorter than its text.
    let records = (0..<600).map { number in
      let text = String(repeating: "w", count: number * 37 % 300)
      let escaped = String(repeating: #"\u0041"#, count: number % 40)
      return
        #"{"name":"n\#(escaped)","domains":[],"web_pages":["\#(text)"],"country":"c","#
        + #""alpha_two_code":"cc","state-province":null}"#
    }
    let mapped = try map("[" + records.joined(separator: ",") + "]", as: .universities)
    #expect(mapped.json.count == records.count)
    for (record, json) in zip(records, mapped.json) {
      #expect(json == record.replacing(#"\u0041"#, with: "A"))
    }
    // Each is the same as if mapped alone.
    for index in stride(from: 0, to: records.count, by: 7) {
      let alone = try map("[" + records[index] + "]", as: .universities)
      #expect(alone.bytes == [mapped.bytes[index]])
    }
  }
}
