import Foundation
import Testing

@Suite("Ingest --index and --if-generation")
struct IndexedIngestTests {
  private let workspace: Workspace
  private let file: String

  init() throws {
    workspace = try Workspace()
    let records = [
      Payload.university("Alpha", country: "Peru"), Payload.university("Beta", country: "Chile"),
      Payload.university("Gamma", country: "Peru"),
    ]
    file = try workspace.file("indexed.json", "[\(records.joined(separator: ","))]")
  }

  private func names(_ conditions: String...) throws -> [String] {
    let options = conditions.flatMap { ["--where", $0] }
    let arguments = ["show", "universities", "--format", "ndjson"] + options
    return try names(try workspace.feedcore(arguments))
  }

  private func names(_ outcome: Workspace.Outcome) throws -> [String] {
    try outcome.lines.compactMap { line in
      let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return record?["name"] as? String
    }
  }

  @Test("feeds lists the indexed fields, and show finds the same records by them")
  func indexed() throws {
    #expect(try workspace.feedcore("ingest", file).status == 0)
    let unindexed = try (names("country=Peru"), names("country=Cuba"))
    #expect(
      try workspace.feedcore("ingest", file, "--index", "country", "--index", "domains").status == 0
    )
    #expect(try workspace.feeds().first?["indexed"] as? [String] == ["country", "domains"])
    #expect(try names("country=Peru") == ["Alpha", "Gamma"])
    #expect(try (names("country=Peru"), names("country=Cuba")) == unindexed)
    #expect(try names("country=Peru", "name=Gamma") == ["Gamma"])
    #expect(try names("name=Beta", "country=Peru") == [])
    let page = try workspace.feedcore(
      "show", "universities", "--where", "country=Peru", "--offset", "1", "--format", "ndjson")
    #expect(try names(page) == ["Gamma"])
  }

  @Test("a replaced feed keeps its indexed fields, unless others are named")
  func keptIndexes() throws {
    for (options, fields) in [
      (["--index", "country"], ["country"]), ([], ["country"]),
      (["--index", "domains"], ["domains"]),
    ] {
      #expect(try workspace.feedcore(["ingest", file] + options).status == 0)
      #expect(try workspace.feeds().first?["indexed"] as? [String] == fields)
    }
  }

  @Test("finds a text by its bytes, with and without an index")
  func normalForms() throws {
    let composed = "Caf\u{E9}"
    let file = try workspace.file(
      "forms.json",
      "[\(Payload.university("A", country: composed)),"
        + "\(Payload.university("B", country: "Cafe\u{301}"))]")
    for index in [[], ["--index", "country"]] {
      #expect(try workspace.feedcore(["ingest", file] + index).status == 0)
      #expect(try names("country=\(composed)") == ["A"])
    }
  }

  @Test("refuses a field that the records do not have with 64, and lists their fields")
  func unknown() throws {
    let outcome = try workspace.feedcore("ingest", file, "--index", "city")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errorLines.first?.contains("country") == true)
    #expect(try workspace.feeds().isEmpty)
  }

  @Test("refuses a field that cannot be indexed with 64, and names it")
  func unindexable() throws {
    let file = try workspace.file("comments.json", Payload.comment())
    let outcome = try workspace.feedcore("ingest", file, "--index", "created_at")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.hasPrefix("comments cannot be indexed by created_at"))
    #expect(try workspace.feeds().isEmpty)
  }

  @Test("changes the feed only if it has the named generation, else ends with 75")
  func condition() throws {
    #expect(try workspace.feedcore("ingest", file, "--if-generation", "0").status == 0)
    let generation = try #require(try workspace.feeds().first?["generation"] as? Int)
    let refused = try workspace.feedcore("ingest", file, "--if-generation", "0")
    #expect(refused.status == 75)
    #expect(refused.errorLines.count == 1)
    #expect(
      try workspace.feedcore("ingest", file, "--if-generation", "\(generation)").status == 0)
    #expect(
      try workspace.feedcore("ingest", file, "--if-generation", "\(generation)").status == 75)
  }
}
