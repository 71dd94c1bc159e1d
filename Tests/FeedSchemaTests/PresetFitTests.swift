import FeedSchema
import JSONStream
import Testing

@Suite("The contract that holds a document without loss")
struct PresetFitTests {
  private func kind(
    _ document: String, of catalog: PayloadCatalog = .standard,
    dates: PayloadParser.Dates = .strict
  ) -> String? {
    let bytes = Array(document.utf8)
    let head = bytes.span.bytes
    let found = RecordsFinder.plan(head: head, isComplete: true)
    return PresetFit.schema(of: catalog, head: head, found: found, dates: dates)?.name
  }

  private static let university =
    #"{"name":"São","web_pages":["http://a.br/"],"country":"Brazil","alpha_two_code":"BR"}"#
  private static let character =
    #"{"name":"Rick","status":"Alive","species":"Human","image":"https://e.com/r.png"}"#
  private static let image =
    #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","location":null,"image":"https://e.com/1.jpg"}"#
  private static let comment =
    #"{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59Z","author":{"username":"u"}}"#
  private static let article =
    #"{"source":{"id":null,"name":"N"},"author":"A","title":"T","description":null,"url":"https:\/\/e.com\/a","urlToImage":"odd","publishedAt":"2019-05-08T00:22:40Z","content":"…"}"#

  @Test(
    "names all keys of the records, and expects the records where they are",
    arguments: [
      ("[\(university),\(university)]", "universities"),
      ("\(university)\n\(university)", "universities"),
      (university, "universities"), (#"{"items":[\#(image)]}"#, "feed"),
      (#"{"items":[\#(comment)],"page":1}"#, "comments"),
      (#"{"info":{"count":1},"results":[\#(character)]}"#, "characters"),
      (#"{"status":"ok","totalResults":1,"articles":[\#(article)]}"#, "news"),
      ("[\(character)]", "characters"), (#"{"info":{"count":0},"results":[]}"#, "characters"),
    ])
  func fitting(document: String, kind: String) {
    #expect(self.kind(document) == kind)
  }

  @Test(
    "does not exist if a record has a key or a value that no contract would keep",
    arguments: [
      // Another key, on each level
      #"[{"name":"S","web_pages":[],"country":"B","alpha_two_code":"BR","founded":1900}]"#,
      #"{"items":[{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59Z","author":{"username":"u","id":1}}]}"#,
      // A required field that is missing or null
      #"[{"name":"S","web_pages":[],"country":"B"}]"#,
      #"[{"name":"S","web_pages":null,"country":"B","alpha_two_code":"BR"}]"#,
      // Another type
      #"[{"name":1,"web_pages":[],"country":"B","alpha_two_code":"BR"}]"#,
      #"[{"name":"S","web_pages":["a",1],"country":"B","alpha_two_code":"BR"}]"#,
      #"[{"name":"S","web_pages":[],"country":"B","alpha_two_code":"BR","state-province":2}]"#,
      #"{"items":[{"id":7,"image":"https://e.com/1.jpg"}]}"#,
      #"{"items":[{"id":"7","image":"https://e.com/1.jpg"}]}"#,
      #"{"items":[{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"yesterday","author":{"username":"u"}}]}"#,
      #"{"items":[{"id":"2AB2AE66-A4B7-4A16-B374-51BBAC8DB086","message":"m","created_at":"2020-05-20T11:24:59Z","author":"u"}]}"#,
      // A repeated key
      #"[{"name":"S","name":"T","web_pages":[],"country":"B","alpha_two_code":"BR"}]"#,
      // Another place
      #"{"schools":[\#(university),\#(university)]}"#, #"{"data":{"results":[\#(character)]}}"#,
      #"{"articles":[\#(character)]}"#,
      // Other framings
      "{\"name\":\n\"S\",\"web_pages\":[],\"country\":\"B\",\"alpha_two_code\":\"BR\"}\(university)",
      "\u{1E}\(university)\n", "\(university)\(university)",
      // Records of no kind
      "[1]", "[]", #"{"items":[]}"#, "{}", "",
    ])
  func misfits(document: String) {
    #expect(kind(document) == nil)
  }

  @Test("does not exist if only a later record does not fit")
  func later() {
    let odd = Self.university.dropLast() + #","motto":"m"}"#
    #expect(kind("[\(Self.university),\(odd)]") == nil)
  }

  @Test("accepts the same dates as its reader")
  func dates() {
    let document = "[\(Self.comment.replacing("T11:24:59Z", with: " 11:24:59"))]"
    #expect(kind(document) == nil)
    #expect(kind(document, dates: .lenient) == "comments")
  }

  @Test("has the most required fields of all contracts that fit")
  func several() throws {
    let fields = [PayloadSchema.Field(id: 1, "a", kind: .text)]
    let optional = PayloadSchema.Field(id: 2, "b", kind: .integer, isRequired: false)
    let required = PayloadSchema.Field(id: 2, "b", kind: .integer)
    let loose = try PayloadSchema(
      name: "loose", identifier: 1_000, key: 1, fields: fields + [optional])
    let exact = try PayloadSchema(
      name: "exact", identifier: 1_001, key: 1, fields: fields + [required])
    let catalog = PayloadCatalog([loose, exact])
    #expect(kind(#"[{"a":"x","b":1}]"#, of: catalog) == "exact")
    #expect(kind(#"[{"a":"x","b":1},{"a":"y"}]"#, of: catalog) == "loose")
    #expect(kind(#"[{"a":"x","b":1.5}]"#, of: catalog) == nil)
    // Without records, the only contract of a catalog fits.
    #expect(kind("[]", of: PayloadCatalog([loose])) == "loose")
  }

  @Test("is the right one or none if the document is cut anywhere")
  func cut() {
    let document = Array(#"{"info":{"count":1},"results":[\#(Self.character)]}"#.utf8)
    for end in 0...document.count {
      let head = document.span.bytes.extracting(0..<end)
      for isComplete in [true, false] {
        let found = RecordsFinder.plan(head: head, isComplete: isComplete)
        let schema = PresetFit.schema(of: .standard, head: head, found: found)
        #expect(schema == nil || schema == .characters)
      }
    }
  }
}
