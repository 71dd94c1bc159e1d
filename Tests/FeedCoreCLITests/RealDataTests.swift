import Foundation
import Testing

/// The payloads that the apps were written against. They are not part of this project.
enum RealData {
  /// `$FEEDCORE_REAL_DATA`, else `../shared/data` next to the project; nil if neither exists.
  static let directory: String? = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let neighbor = root.deletingLastPathComponent().appendingPathComponent("shared/data").path
    let path = ProcessInfo.processInfo.environment["FEEDCORE_REAL_DATA"] ?? neighbor
    let file = path + "/world_universities_and_domains.json"
    return FileManager.default.fileExists(atPath: file) ? path : nil
  }()
}

@Suite(
  "Real payloads",
  .enabled(if: RealData.directory != nil, "set FEEDCORE_REAL_DATA to their directory"))
struct RealDataTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func file(_ name: String) throws -> String {
    try #require(RealData.directory) + "/" + name
  }

  private func objects(_ data: Data, _ key: String? = nil) throws -> [NSDictionary] {
    let json = try JSONSerialization.jsonObject(with: data)
    let records = key.map { (json as? [String: Any])?[$0] as Any } ?? json
    return try #require(records as? [NSDictionary])
  }

  @Test("all universities are published, found and exported")
  func universities() throws {
    let file = try file("world_universities_and_domains.json")
    let report = try workspace.feedcore("ingest", file, "--json").object()
    #expect(report["records"] as? Int == 10_251)
    #expect(report["kind"] as? String == "universities")

    let payload = try objects(try workspace.contents(file))
    let exported = try workspace.feedcore("export", "universities")
    #expect(try objects(exported.bytes) == payload)

    let brazil = try workspace.feedcore(
      "show", "universities", "--where", "country=Brazil", "--limit", "100000", "--format", "json")
    #expect(
      try objects(brazil.bytes) == payload.filter { $0["country"] as? String == "Brazil" })
    let found = try workspace.feedcore("get", "universities", "Middle East Technical University")
    #expect(found.status == 0)
    #expect(found.output.contains("country: Turk"))
  }

  @Test("the characters are published, and the export has info.next")
  func characters() throws {
    let file = try file("rickandmorty_characters.json")
    let report = try workspace.feedcore("ingest", file, "--kind", "characters", "--json").object()
    #expect(report["records"] as? Int == 493)
    #expect(report["kind"] as? String == "characters")
    let dropped = try #require(report["droppedKeys"] as? [[String: Any]])
    #expect(dropped.contains { $0["key"] as? String == "episode" && $0["records"] as? Int == 493 })

    let exported = try workspace.feedcore("export", "characters")
    let payload = try JSONSerialization.jsonObject(with: try workspace.contents(file))
    let copy = try JSONSerialization.jsonObject(with: exported.bytes)
    #expect(
      (copy as? NSDictionary)?["info"] as? NSDictionary
        == (payload as? NSDictionary)?["info"] as? NSDictionary)
    let names = try objects(try workspace.contents(file), "results").map { $0["name"] as? String }
    #expect(try objects(exported.bytes, "results").map { $0["name"] as? String } == names)
  }

  @Test("the characters are kept with all of their keys, and are of their kind")
  func characterDocuments() throws {
    let file = try file("rickandmorty_characters.json")
    let report = try workspace.feedcore("ingest", file, "--feed", "dump", "--json").object()
    #expect(report["records"] as? Int == 493)
    #expect(report["kind"] as? String == "characters")
    #expect(report["key"] as? String == "name" && report["framing"] as? String == "array")
    #expect(try workspace.feedcore("get", "dump", "Rick Sanchez", "/gender").output == "\"Male\"\n")
  }

  @Test("the news are published, and the export has totalResults")
  func news() throws {
    let file = try file("news_top_headlines.json")
    let report = try workspace.feedcore("ingest", file, "--json").object()
    #expect(report["records"] as? Int == 20)
    #expect(report["kind"] as? String == "news")

    let exported = try workspace.feedcore("export", "news")
    let payload = try JSONSerialization.jsonObject(with: try workspace.contents(file))
    let copy = try exported.object()
    #expect(copy["totalResults"] as? Int == (payload as? NSDictionary)?["totalResults"] as? Int)
    let titles = try objects(try workspace.contents(file), "articles").map { $0["url"] as? String }
    #expect(try objects(exported.bytes, "articles").map { $0["url"] as? String } == titles)
  }
}
