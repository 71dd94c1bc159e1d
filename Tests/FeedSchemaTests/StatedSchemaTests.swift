import FeedSchema
import Testing

@Suite("A schema file")
struct StatedSchemaTests {
  private func file(_ text: String, isStrict: Bool = false) throws(SchemaError) -> SchemaFile {
    let bytes = Array(text.utf8)
    return try SchemaFile(bytes.span.bytes, isStrict: isStrict)
  }

  private func message(_ text: String) -> String? {
    do throws(SchemaError) {
      _ = try file(text)
      return nil
    } catch {
      return error.message
    }
  }

  private func isContract(_ mark: String, isStrict: Bool = false) throws -> Bool {
    let text = #"""
      {"type": "object", "required": ["id"],
       "x-feedcore": {\#(mark) "version": 1, "kind": "k", "key": ["id"]},
       "properties": {"id": {"type": "string", "x-feedcore": {"id": 1}}}}
      """#
    if case .contract = try file(text, isStrict: isStrict) { return true }
    return false
  }

  @Test("is a contract if it is marked as one")
  func marks() throws {
    #expect(try isContract(#""strict": true, "identifier": 2001,"#))
    #expect(try isContract(#""form": "flat", "identifier": 2001,"#))
    #expect(try isContract(#""identifier": 2001,"#))
    #expect(try isContract(#""strict": false, "identifier": 2001,"#, isStrict: true))
    #expect(try !isContract(""))
    #expect(try !isContract(#""form": "document","#))
    #expect(try !isContract(#""strict": false, "form": "flat", "identifier": 2001,"#))
  }

  @Test("of every built-in contract is a contract", arguments: PayloadCatalog.standard.schemas)
  func contracts(_ schema: PayloadSchema) throws {
    guard case .contract(let read) = try SchemaFile(schema.jsonText.span.bytes) else {
      Issue.record("it is none")
      return
    }
    #expect(read == schema)
  }

  @Test(
    "of documents is refused for a keyword, a value or an id that cannot be applied",
    arguments: [
      (
        #"{"properties":{"actor":{"allOf":[]}}}"#,
        "FeedCore does not check `allOf` (at /properties/actor)"
      ),
      (#"{"$defs":{}}"#, "FeedCore does not check `$defs` (at the top level)"),
      (#"{"items":{"pattern":"a"}}"#, "FeedCore does not check `pattern` (at /items)"),
      (#"{"type":"text"}"#, "text is no type of JSON Schema (at /type)"),
      (#"{"type":1}"#, "type has to be texts (at /type)"),
      (#"{"format":"email"}"#, "FeedCore does not check the format email (at /format)"),
      (#"{"maxLength":-1}"#, "maxLength has to be a whole number from 0 (at /maxLength)"),
      (#"{"minimum":"1"}"#, "minimum has to be a number (at /minimum)"),
      (
        #"{"enum":[1]}"#,
        "an enum that FeedCore checks has at most 8 values; each is null or a text of at most 64 bytes"
          + " (at /enum)"
      ),
      (
        #"{"properties":{"state":{"x-feedcore":{"id":4}},"city":{"x-feedcore":{"id":4}}}}"#,
        "id 4 is used for state and for city (at /properties/city/x-feedcore/id)"
      ),
      (
        #"{"properties":{"a":{"x-feedcore":{"id":65533}}}}"#,
        "the id 65533 is not between 1 and 65532 (at /properties/a/x-feedcore/id)"
      ),
      (
        #"{"items":{"x-feedcore":{"id":1}}}"#,
        "a value in an array or a map is no field; it has no id and no index (at /items/x-feedcore)"
      ),
      (#"{"x-feedcore":{"framing":"list"}}"#, "list is no framing (at /x-feedcore/framing)"),
      (
        #"{"x-feedcore":{"framing":"lines","records":"/a"}}"#,
        "the framing lines has no place of its records (at /x-feedcore/records)"
      ),
      (#"{"x-feedcore":{"form":"tree"}}"#, "the form is flat or document (at /x-feedcore/form)"),
      (
        #"{"x-feedcore":{"version":2}}"#,
        "the schema has version 2, this program knows 1; use a newer FeedCore (at /x-feedcore/version)"
      ),
    ])
  func faulty(_ text: String, _ expected: String) {
    #expect(message(text) == expected)
  }

  @Test(
    "of documents may be plain JSON Schema",
    arguments: [
      "{}", #"{"type":"object","additionalProperties":false}"#,
      #"{"$schema":"https://json-schema.org/draft/2020-12/schema","items":{"type":["null","integer"]}}"#,
      #"{"properties":{"u":{"type":"string","format":"uri-reference","enum":["a",null]}}}"#,
    ])
  func plain(_ text: String) { #expect(message(text) == nil) }
}
