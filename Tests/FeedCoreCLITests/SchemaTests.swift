import FeedStorage
import Foundation
import TestSupport
import Testing

/// The commands on a feed whose schema is defined by a Swift program.
@Suite("A feed with a schema that is not built in")
struct SchemaTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try Readings.publish(in: FeedDatabase.open(at: workspace.store))
  }

  @Test("is read by key, shown, and filtered by its fields")
  func records() throws {
    #expect(try workspace.feedcore("get", "readings", "s-1", "--json").lines == [Readings.lines[0]])
    #expect(
      try workspace.feedcore("get", "readings", "s-2").lines
        == ["sensor.id: s-2", "at: 2026-11-25T07:00:00Z", "count: -7", "tags:"])
    #expect(try workspace.feedcore("get", "readings", "s-3").status == 1)
    #expect(
      try workspace.feedcore("detail", "readings", "s-1").lines.first == "sensor.id          s-1")
    let table = try workspace.feedcore("show", "readings").lines
    #expect(table.first?.hasPrefix("sensor.id  sensor.place.city") == true)
    for condition in [
      "tags=north", "sensor.place.city=Porto", "count=42", "at=2026-11-25T06:30:00Z",
    ] {
      let found = try workspace.feedcore(
        "show", "readings", "--where", condition, "--format", "ndjson")
      #expect(found.lines == [Readings.lines[0]], "\(condition)")
    }
  }

  @Test("is exported with its envelope and its fields")
  func export() throws {
    #expect(
      try workspace.feedcore("export", "readings", "--format", "ndjson").lines == Readings.lines)
    let export = try workspace.feedcore("export", "readings").object()
    #expect(export["source"] as? String == "test")
    #expect((export["readings"] as? [Any])?.count == 2)
  }

  @Test("is listed with the names of its indexed fields")
  func feeds() throws {
    let feed = try #require(try workspace.feeds().first)
    #expect(feed["kind"] as? String == "readings")
    #expect(feed["indexed"] as? [String] == ["tags"])
  }

  @Test("has its schema in the store, as JSON unless the output is a terminal")
  func json() throws {
    #expect(try workspace.feedcore("schema", "show", "readings").output == Readings.text + "\n")
    #expect(
      try workspace.feedcore("schema", "show", "readings", "--json").output == Readings.text + "\n")
    let check = try workspace.feedcore("store", "check")
    #expect(check.status == 0)
  }

  @Test("has its schema as a table")
  func table() throws {
    let table = try workspace.feedcore("schema", "show", "readings", "--table")
    #expect(
      table.lines == [
        "field              type           presence  id  use",
        "sensor.id          text           required   1  key",
        "sensor.place.city  text           optional   2",
        "at                 date           required   3",
        "count              integer        required   4",
        "tags               list of texts  required   5  index",
      ])
  }

  @Test("must exist for its schema to be shown, and --json excludes --table")
  func missing() throws {
    #expect(try workspace.feedcore("schema", "show", "none").status == 66)
    #expect(try workspace.feedcore("schema", "show", "readings", "--json", "--table").status == 64)
  }
}

@Suite("A feed that was stored before feeds had schemas")
struct OlderRowTests {
  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "FeedStorageTests/Golden/store-v2/feeds/data.mdb")

  @Test("has the schema of its kind")
  func preset() throws {
    let workspace = try Workspace()
    let feeds = workspace.store + "/feeds"
    try FileManager.default.createDirectory(atPath: feeds, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.golden.path, toPath: feeds + "/data.mdb")
    let schema = try workspace.feedcore("schema", "show", "news").object()
    #expect((schema["x-feedcore"] as? [String: Any])?["kind"] as? String == "news")
    #expect(try workspace.feedcore("export", "news").status == 0)
  }
}
