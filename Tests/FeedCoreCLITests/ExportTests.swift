import Foundation
import Testing

@Suite("Export")
struct ExportTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private func ingest(_ text: String, _ arguments: String...) throws {
    let file = try workspace.file("payload", text)
    let outcome =
      arguments.isEmpty
      ? try workspace.feedcore("ingest", file, "--feed", "it")
      : try workspace.feedcore("ingest", file, "--feed", "it", arguments[0], arguments[1])
    guard outcome.status == 0 else { throw Workspace.Unexpected() }
  }

  @Test("writes the records at their position in the payload's envelope")
  func envelope() throws {
    try ingest(Payload.characters(["Rick", "Morty"]))
    #expect(
      try workspace.feedcore("export", "it").output
        == #"{"info":{"next":"https://example.com/?page=2","count":2},"results":["# + "\n"
        + Payload.character("Rick") + ",\n" + Payload.character("Morty") + "\n"
        + #"],"last":[1,null]}"# + "\n")
  }

  @Test("writes line-delimited input in the minimal form of the contract")
  func bareForms() throws {
    try ingest(Payload.character("Rick") + "\n" + Payload.character("Morty"))
    #expect(
      try workspace.feedcore("export", "it").output
        == "{\"results\":[\n\(Payload.character("Rick")),\n\(Payload.character("Morty"))\n]}\n")
    try ingest("{\"items\":[]}", "--kind", "feed")
    #expect(try workspace.feedcore("export", "it").output == "{\"items\":[]}\n")
  }

  @Test("writes lines")
  func lines() throws {
    try ingest(Payload.characters(["Rick", "Morty"]))
    #expect(
      try workspace.feedcore("export", "it", "--format", "ndjson").output
        == Payload.character("Rick") + "\n" + Payload.character("Morty") + "\n")
    try ingest("[]", "--kind", "universities")
    #expect(try workspace.feedcore("export", "it", "--format", "ndjson").output == "")
  }

  @Test("preserves null, absence, escapes, numbers outside the records, and text beyond ASCII")
  func fidelity() throws {
    let text =
      "[\n"
      + [
        #"{"name":"\"\\\/\u0001\n é 大 😍","web_pages":["a","b"],"country":"","alpha_two_code":"X"}"#,
        #"{"name":"B","domains":[],"web_pages":[],"country":"C","alpha_two_code":"X","state-province":null}"#,
      ].joined(separator: ",\n") + "\n]\n"
    try ingest(text)
    #expect(
      try workspace.feedcore("export", "it").output
        == text.replacingOccurrences(of: "\\/", with: "/"))
  }

  @Test("prints dates in UTC, with a fraction only if there is one")
  func dates() throws {
    for (given, written) in [
      ("2020-05-20T11:24:59+0200", "2020-05-20T09:24:59Z"),
      ("2020-05-20T11:24:59.000Z", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24:59.125Z", "2020-05-20T11:24:59.125Z"),
    ] {
      try ingest(Payload.comment(date: given))
      #expect(try workspace.feedcore("export", "it").output.contains("\"\(written)\""))
    }
  }

  @Test(
    "of an ingested export has the same bytes",
    arguments: ["universities", "feed", "comments", "characters", "news"], ["json", "ndjson"])
  func exportOfExport(_ kind: String, _ format: String) throws {
    #expect(try workspace.feedcore("ingest", try workspace.sample(kind, 211)).status == 0)
    let first = try workspace.feedcore("export", kind, "--format", format)
    let file = try workspace.file("first", bytes: Array(first.bytes))
    #expect(try workspace.feedcore("ingest", file, "--feed", "again").status == 0)
    let second = try workspace.feedcore("export", "again", "--format", format)
    #expect(first.bytes == second.bytes)
    #expect(first.bytes.count > 211 * 50)
    #expect(first.bytes.last == 0x0A)
  }

  @Test("into a file gives the same bytes and leaves no other file")
  func intoFile() throws {
    try ingest(Payload.characters(["Rick"]))
    let directory = workspace.path + "/out"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let file = directory + "/it.json"
    for _ in 0..<2 {
      let outcome = try workspace.feedcore("export", "it", "--output", file)
      #expect(outcome.status == 0)
      #expect(outcome.output == "")
      #expect(try workspace.contents(file) == workspace.feedcore("export", "it").bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["it.json"])
    }
  }

  @Test("of a missing feed leaves an existing file unchanged")
  func missingFeed() throws {
    let file = try workspace.file("it.json", "mine")
    #expect(try workspace.feedcore("export", "none", "--output", file).status == 66)
    #expect(try workspace.contents(file) == Data("mine".utf8))
  }

  @Test("into a missing directory, or with a directory as the path, ends with 74")
  func wrongPlace() throws {
    try ingest(Payload.characters(["Rick"]))
    for place in ["\(workspace.path)/none/it.json", workspace.path] {
      let outcome = try workspace.feedcore("export", "it", "--output", place)
      #expect(outcome.status == 74)
      #expect(outcome.errorLines.count == 1)
    }
  }

  @Test("writes into a device instead of replacing it")
  func device() throws {
    try ingest(Payload.characters(["Rick"]))
    #expect(try workspace.feedcore("export", "it", "--output", "/dev/null").status == 0)
    var status = stat()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }
}
