import Foundation
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

  // MARK: Documents

  @Test("of documents stores misfits, and reports them")
  func misfits() throws {
    let schema = try workspace.file(
      "events.schema.json",
      #"""
      {"type": "object", "required": ["id"], "x-feedcore": {"key": ["id"]},
       "properties": {"id": {"type": "string"}, "size": {"type": "integer", "maximum": 9},
        "actor": {"properties": {"login": {"type": "string", "x-feedcore": {"index": true}}}}}}
      """#)
    let file = try workspace.file(
      "events.json",
      #"[{"id":"a","size":1},{"id":"b","size":12,"actor":{"login":7}},{"size":2}]"#)
    let outcome = try workspace.feedcore("ingest", file, "--schema", schema)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("events: 3 records"))
    #expect(
      outcome.errors
        == "warning: stored, but these do not fit the schema: id: expected a value, found none (1 time),"
        + " size: expected at most 9, found 12, actor.login: expected string, found integer (1 time;"
        + " first: record 2)\n")
    let found = try workspace.feedcore(
      "show", "events", "--where", "actor.login=7", "--format", "ndjson")
    #expect(found.lines == [#"{"id":"b","size":12,"actor":{"login":7}}"#])
    let report = try workspace.feedcore("ingest", file, "--schema", schema, "--json").object()
    let misfits = try #require(report["misfits"] as? [[String: Any]])
    #expect(misfits.count == 3)
    #expect(misfits.last?["path"] as? String == "actor.login")
    #expect(misfits.last?["expected"] as? String == "string")
    #expect(misfits.last?["found"] as? String == "integer")
    #expect(misfits.last?["count"] as? Int == 1)
    #expect(misfits.last?["firstRecord"] as? Int == 2)
  }

  @Test(
    "accepts the output of schema infer and schema show",
    arguments: [
      "events.ndjson", "earthquakes.geojson", "packages.json", "universities.json",
    ])
  func roundTrip(_ name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/\(name)")
      .path
    let inferred = try workspace.feedcore("schema", "infer", file).output
    let schema = try workspace.file("inferred.json", inferred)
    let outcome = try workspace.feedcore("ingest", file, "--schema", schema, "--feed", "a")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let shown = try workspace.feedcore("schema", "show", "a", "--json").output
    #expect(shown == inferred)
    let stored = try workspace.file("shown.json", shown)
    let again = try workspace.feedcore("ingest", file, "--schema", stored, "--feed", "b", "--json")
    #expect(try again.object()["misfits"] as? [String] == [])
    #expect(try workspace.feedcore("schema", "show", "b", "--json").output == shown)
    let added = try workspace.feedcore(
      "ingest", file, "--schema", stored, "--feed", "b", "--append")
    #expect(added.status == 0)
    #expect(added.output.hasPrefix("b: 0 records added"))
  }

  @Test("of documents is a contract with --strict")
  func strict() throws {
    let text = Self.schema.replacing(#""strict": true"#, with: #""strict": false"#)
    let schema = try workspace.file("lenient.schema.json", text)
    let bad = try workspace.file("bad.json", #"{"recipes":[{"title":7,"note":"hot"}]}"#)
    let refused = try workspace.feedcore("ingest", bad, "--schema", schema, "--strict")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("title: expected a string, found a number"))
    let stored = try workspace.feedcore("ingest", bad, "--schema", schema)
    #expect(stored.status == 0)
    #expect(
      stored.errors.contains("title: expected string, found integer (1 time; first: record 1)"))
    #expect(try workspace.feedcore("get", "bad", "7").lines == [#"{"title":7,"note":"hot"}"#])
    #expect(try workspace.feedcore("ingest", bad, "--strict").status == 64)
  }

  @Test("of documents that is faulty ends with 64 and names the place")
  func faultyDocuments() throws {
    let file = try workspace.file("a.json", "[]")
    for (text, error) in [
      (
        #"{"properties": {"actor": {"allOf": []}}}"#,
        "FeedCore does not check `allOf` (at /properties/actor)"
      ),
      (
        #"{"properties": {"state": {"x-feedcore": {"id": 4}}, "city": {"x-feedcore": {"id": 4}}}}"#,
        "id 4 is used for state and for city"
      ),
    ] {
      let schema = try workspace.file("faulty.json", text)
      let outcome = try workspace.feedcore("ingest", file, "--schema", schema)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("faulty.json: " + error))
    }
  }

  @Test("of documents refuses an append to a feed with other ids")
  func otherIDs() throws {
    let file = try workspace.file("events.json", #"[{"city":"Bonn"}]"#)
    func ingest(_ id: Int, _ options: String...) throws -> (status: Int32, errors: String) {
      let schema = try workspace.file(
        "s.json",
        #"{"x-feedcore": {"key": ["city"]}, "properties": {"city": {"x-feedcore": {"id": \#(id)}}}}"#
      )
      let outcome = try workspace.feedcore(["ingest", file, "--schema", schema] + options)
      return (outcome.status, outcome.errors)
    }
    #expect(try ingest(6).status == 0)
    let refused = try ingest(4, "--append")
    #expect(refused.status == 64)
    #expect(refused.errors.contains("city has id 4 in the schema, but id 6 in the feed events"))
    #expect(try ingest(4).status == 0)
  }
}
