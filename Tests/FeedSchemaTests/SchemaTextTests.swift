import FeedSchema
import TestSupport
import Testing

@Suite("A schema as JSON text")
struct SchemaTextTests {
  private func schema(_ text: String) throws(SchemaError) -> PayloadSchema {
    let bytes = Array(text.utf8)
    return try PayloadSchema(jsonText: bytes.span.bytes)
  }

  private func error(_ text: String) -> SchemaError? {
    do throws(SchemaError) {
      _ = try schema(text)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "round-trips to the same schema and the same bytes",
    arguments: PayloadCatalog.standard.schemas + [Readings.schema])
  func roundTrip(original: PayloadSchema) throws {
    let text = original.jsonText
    let read = try PayloadSchema(jsonText: text.span.bytes)
    #expect(read == original)
    #expect(read.layout == original.layout)
    #expect(read.jsonText == text)
  }

  @Test("is JSON Schema with annotations")
  func text() {
    #expect(String(decoding: Readings.schema.jsonText, as: UTF8.self) == Readings.text)
  }

  @Test("preserves keys with dots, slashes, tildes and quotes")
  func oddKeys() throws {
    let original = try PayloadSchema(
      name: "odd", identifier: 1_002, recordKey: "a/b~c", key: 1,
      fields: [
        .init(id: 1, "a.b", "/c~d", kind: .uuid),
        .init(id: 2, "a", "b", "\"\u{0}é\\", kind: .url, isRequired: false, isImage: true),
        .init(id: 3, "", kind: .number),
        .init(id: 4, "flag", kind: .boolean),
      ])
    let text = original.jsonText
    #expect(try PayloadSchema(jsonText: text.span.bytes) == original)
    #expect(String(decoding: text, as: UTF8.self).contains(##""key":["/a.b/~1c~0d"]"##))
  }

  @Test("may have white space, its members in any order, and its indexes at the top")
  func written() throws {
    let written = try schema(
      """
      {
        "properties": {
          "id": {"x-feedcore": {"id": 1}, "type": "string", "format": "uuid"},
          "n": {"type": ["null", "integer"], "x-feedcore": {"id": 2}}
        },
        "x-feedcore": {"version": 1, "kind": "k", "identifier": 1003, "key": ["id"],
                       "index": ["n"]},
        "required": ["id", "n"],
        "type": "object"
      }
      """)
    let expected = try PayloadSchema(
      name: "k", identifier: 1_003, key: 1,
      fields: [
        .init(id: 1, "id", kind: .uuid),
        .init(id: 2, "n", kind: .integer, isRequired: false, isIndexed: true),
      ])
    #expect(written == expected)
  }

  private static let properties = #""id":{"type":"string","x-feedcore":{"id":1}}"#

  private func text(
    properties: String = Self.properties, top: String = "",
    annotation: String = #""version":1,"kind":"k","identifier":1003,"key":["id"]"#
  ) -> String {
    #"{"type":"object","required":["id"],\#(top)"properties":{\#(properties)},"#
      + #""x-feedcore":{\#(annotation)}}"#
  }

  @Test("with a keyword that is not checked is refused, and the error names it and its location")
  func unsupported() {
    #expect(error(text()) == nil)
    let top = error(text(top: #""allOf":[],"#))
    #expect(top?.message == "FeedCore does not check `allOf` (at the top level)")
    let field = #"{"type":"string","pattern":"x","x-feedcore":{"id":2}}"#
    let nested = error(
      text(properties: Self.properties + #","a/b":{"type":"object","properties":{"c":\#(field)}}"#))
    #expect(
      nested?.message == "FeedCore does not check `pattern` (at /properties/a~1b/properties/c)")
    #expect(nested?.pointer == "/properties/a~1b/properties/c")
  }

  @Test("with one id for two fields is refused, and the error names the id and both paths")
  func repeatedID() {
    let other =
      #","a":{"type":"object","properties":{"b":{"type":"number","x-feedcore":{"id":1}}}}"#
    #expect(
      error(text(properties: Self.properties + other))?.message
        == "id 1 is used for id and for a.b (at /properties/a/properties/b/x-feedcore/id)")
  }

  @Test(
    "that is not a schema is refused, with the position",
    arguments: [
      ("[", "/0", "the schema is not valid JSON at byte"), ("[]", "", "an object is expected"),
      (#"{"type":"object","type":"object"}"#, "", "the key type occurs twice"),
      (#"{"type":"object"}"#, "", "the annotation x-feedcore is missing"),
      (#"{"$schema":"draft-04"}"#, "/$schema", "another dialect"),
      ("{\u{0C}}", "", "a form feed is not allowed in JSON"),
      ("{}\u{0B}", "", "a vertical tab is not allowed in JSON"),
    ])
  func malformed(text: String, pointer: String, reason: String) {
    let found = error(text)
    #expect(found?.pointer == pointer)
    #expect(found?.message.contains(reason) == true, "\(found?.message ?? "")")
  }

  @Test(
    "with a faulty part is refused, with the position",
    arguments: [
      (#""version":2"#, "/x-feedcore/version", "use a newer FeedCore"),
      (#""version":1,"key":["nope"]"#, "/x-feedcore/key/0", "no field nope"),
      (#""version":1,"key":[]"#, "/x-feedcore/key", "one key field"),
      (
        #""version":1,"key":["id"],"kind":"k","identifier":-1"#, "/x-feedcore/identifier", "32 bits"
      ),
      (
        #""version":1,"key":["id"],"kind":"k","identifier":1003,"records":"/a/b""#,
        "/x-feedcore/records", "the document or a member of it"
      ),
    ])
  func annotation(annotation: String, pointer: String, reason: String) {
    let found = error(text(annotation: annotation))
    #expect(found?.pointer == pointer)
    #expect(found?.message.contains(reason) == true, "\(found?.message ?? "")")
  }

  @Test(
    "with a type that contracts do not have is refused",
    arguments: [
      (#"{"type":"array","x-feedcore":{"id":2}}"#, "/items"),
      (#"{"type":"string","format":"email","x-feedcore":{"id":2}}"#, "/format"),
      (#"{"type":["string","integer"],"x-feedcore":{"id":2}}"#, "/type"),
      (#"{"type":"tuple","x-feedcore":{"id":2}}"#, "/type"),
      (#"{"type":"string","items":{},"x-feedcore":{"id":2}}"#, "/items"),
      (#"{"type":"string","x-feedcore":{"id":65536}}"#, "/x-feedcore/id"),
    ])
  func types(field: String, place: String) {
    let found = error(text(properties: Self.properties + #","x":"# + field))
    #expect(found?.pointer == "/properties/x" + place, "\(found?.message ?? "")")
  }

  @Test("of more than 1 MiB, of too many levels or fields is refused")
  func limits() {
    #expect(error(text() + String(repeating: " ", count: 1 << 20)) != nil)
    #expect(error(String(repeating: "[", count: 500_000)) != nil)
    let deep = String(repeating: #"{"type":"object","properties":{"a":"#, count: 200)
    #expect(error(deep) != nil)
    let fields = (1...300).map { #""f\#($0)":{"type":"string","x-feedcore":{"id":\#($0)}}"# }
    #expect(
      error(text(properties: fields.joined(separator: ",")))?.message.contains("at most 256")
        == true)
  }
}
