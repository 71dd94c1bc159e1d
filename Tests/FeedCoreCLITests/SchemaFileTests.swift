import TestSupport
import Testing

@Suite("An ingest by a schema file")
struct SchemaFileTests {
  private static let schema = #"""
    {"type": "object", "required": ["title"],
     "x-feedcore": {"version": 1, "kind": "recipes", "identifier": 2001, "form": "flat",
                    "strict": true, "records": "/recipes", "key": ["title"]},
     "properties": {
      "title": {"type": "string", "x-feedcore": {"id": 1}},
      "minutes": {"type": ["integer", "null"], "x-feedcore": {"id": 2, "index": true}}}}
    """#
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("stores the records by the contract, refuses misfits, and names the keys it drops")
  func contract() throws {
    let schema = try workspace.file("recipes.schema.json", Self.schema)
    let good = try workspace.file(
      "good.json", #"{"recipes":[{"title":"Soup","minutes":20,"note":"hot"},{"title":"Tea"}]}"#)
    let outcome = try workspace.feedcore("ingest", good, "--schema", schema)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("recipes: 2 records"))
    #expect(
      outcome.errors.contains("not stored, because recipes does not name them: note (1 record)"))
    #expect(
      try workspace.feedcore("show", "recipes", "--where", "minutes=20", "--format", "ndjson")
        .output == #"{"title":"Soup","minutes":20}"# + "\n")
    let bad = try workspace.file("bad.json", #"{"recipes":[{"title":7}]}"#)
    let refused = try workspace.feedcore("ingest", bad, "--schema", schema)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("title: expected a string, found a number"))
  }

  @Test("that is faulty ends with 64 and names the place")
  func faulty() throws {
    let file = try workspace.file("a.json", "[]")
    let schema = try workspace.file(
      "faulty.json",
      Self.schema.replacing(#""type": "string""#, with: #""allOf": [], "type": "string""#))
    let outcome = try workspace.feedcore("ingest", file, "--schema", schema)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("FeedCore does not check `allOf` (at /properties/title)"))
    #expect(try workspace.feedcore("ingest", file, "--schema", schema, "--single").status == 64)
  }
}
