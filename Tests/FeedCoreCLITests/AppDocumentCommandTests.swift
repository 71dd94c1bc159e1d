import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Documents of the apps' kinds on the command line")
struct AppDocumentCommandTests {
  private let workspace: Workspace
  private let characters = AppDocuments.characters

  init() throws { workspace = try Workspace() }

  private func ingest(_ text: String, _ options: String...) throws -> [String: Any] {
    let file = try workspace.file("dump.json", text)
    return try workspace.feedcore(["ingest", file, "--json"] + options).object()
  }

  @Test("an ingest reports the kind, and the documents get the key of the kind")
  func report() throws {
    let file = try workspace.file("dump.json", characters.document())
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.output.hasPrefix("dump: 3 records from /results, "))
    #expect(outcome.output.hasSuffix("; key: name; kind: characters\n"))
    let report = try ingest(characters.document())
    #expect(report["kind"] as? String == "characters")
    #expect(report["key"] as? String == "name" && report["recordsPointer"] as? String == "/results")
    #expect((report["droppedKeys"] as? [Any])?.isEmpty == true)
    #expect(try ingest(characters.document(), "--kind", "json")["kind"] as? String == "characters")
    #expect(try ingest(characters.document(), "--key", "id")["kind"] as? String == "json")
  }

  @Test("a second file that does not conform gives the documents another key", arguments: 0..<2)
  func severalFiles(kind: Int) throws {
    // The key of the contract is missing in the second file, or repeats.
    let (first, second, key) = [
      (characters.document(), #"{"results":[{"id":4,"species":"Dog"}]}"#, "id"),
      (
        AppDocuments.images.document(
          AppDocuments.images.records.enumerated().map { index, record in
            record.replacing(#""likes""#, with: #""url":"u\#(index)","likes""#)
          }),
        #"{"items":[{"id":7,"url":"a"},{"id":7,"url":"b"},{"id":7,"url":"c"}]}"#, "url"
      ),
    ][kind]
    let files = try [workspace.file("a.json", first), workspace.file("b.json", second)]
    let outcome = try workspace.feedcore(["ingest"] + files + ["--feed", "t", "--json"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try outcome.object()
    #expect(report["kind"] as? String == "json" && report["key"] as? String == key)
  }

  @Test("every command reads the records as documents")
  func commands() throws {
    _ = try ingest(characters.document())
    #expect(try workspace.feeds().map { $0["kind"] as? String } == ["characters"])
    #expect(try workspace.feedcore("get", "dump", "Morty").lines == [characters.records[1]])
    #expect(
      try workspace.feedcore("get", "dump", "Rick", "/id", "--all").lines == ["1", "3"])
    #expect(
      try workspace.feedcore("show", "dump", "--format", "ndjson").lines == characters.records)
    #expect(try workspace.feedcore("detail", "dump", "Morty").output.contains("episode[1]  2"))
    let schema = try workspace.feedcore("schema", "show", "dump").object()
    let annotation = schema["x-feedcore"] as? [String: Any]
    #expect(annotation?["kind"] as? String == "characters")
    #expect(annotation?["form"] as? String == "document")
    #expect(annotation?["conforms"] as? Bool == true)
    let inferred = try workspace.feedcore("schema", "infer", workspace.path + "/dump.json")
    #expect(try inferred.object() as NSDictionary == schema as NSDictionary)
    let copy = try workspace.file("copy.json", workspace.feedcore("export", "dump").output)
    #expect(try workspace.feedcore("ingest", copy, "--quiet").status == 0)
    #expect(
      try workspace.feedcore("export", "copy").bytes == workspace.feedcore("export", "dump").bytes)
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("an append keeps documents, and a record that does not conform changes the kind to json")
  func appends() throws {
    _ = try ingest(characters.document([characters.records[0]]))
    let more = try ingest("[\(characters.records[1])]", "--feed", "dump", "--append")
    #expect(more["kind"] as? String == "characters" && more["feedRecords"] as? Int == 2)
    // Only the contract's keys: on its own, such a file would become a feed of the contract.
    let plain = #"[{"name":"S","status":"s","species":"p","image":"i"}]"#
    let third = try ingest(plain, "--feed", "dump", "--append")
    #expect(third["kind"] as? String == "characters" && third["feedRecords"] as? Int == 3)
    let odd = try ingest(#"[{"name":"S"}]"#, "--feed", "dump", "--append")
    #expect(odd["kind"] as? String == "json" && odd["feedRecords"] as? Int == 4)
    #expect(try workspace.feedcore("get", "dump", "Morty").lines == [characters.records[1]])
    let file = try workspace.file("plain.json", plain)
    let contract = try workspace.feedcore(
      "ingest", file, "--feed", "dump", "--append", "--kind", "characters")
    #expect(contract.status != 0)
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("a sweep keeps the images of the records")
  func images() throws {
    _ = try ingest(characters.document())
    let picture = try workspace.file(
      "r.png", bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    for url in ["https://e.com/r.png", "https://e.com/other.png"] {
      #expect(try workspace.feedcore("images", "put", url, picture).status == 0)
    }
    #expect(try workspace.feedcore("images", "sweep").status == 0)
    let left = try workspace.feedcore("images", "list").output
    #expect(left.contains("https://e.com/r.png") && !left.contains("other.png"))
  }
}
