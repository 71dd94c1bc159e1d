import Testing

@Suite("Ingest --append")
struct AppendTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("appends the records that the feed does not have")
  func addsNewOnes() throws {
    try workspace.publishUniversities()
    let file = try workspace.file("more.json", Payload.universities(["Beta", "Delta", "Alpha"]))
    let report = try workspace.feedcore("ingest", file, "--append", "--json").object()
    #expect(report["records"] as? Int == 1)
    #expect(
      try workspace.names(of: "universities") == ["Alpha", "Beta", "Gamma", "Delta"])
  }

  @Test("reports the numbers of added and of all records")
  func summary() throws {
    try workspace.publishUniversities()
    let file = try workspace.file("more.json", Payload.universities(["Beta", "Delta"]))
    let outcome = try workspace.feedcore("ingest", file, "--append")
    #expect(outcome.output.hasPrefix("universities: 1 record added, 4 in all, "))
  }

  @Test("adds a record that differs in one byte from a stored one with the same name")
  func keepsChanged() throws {
    try workspace.publishUniversities()
    let file = try workspace.file("more.json", Payload.university("Beta", country: "Peru"))
    #expect(try workspace.feedcore("ingest", file, "--append").status == 0)
    #expect(try workspace.feedcore("get", "universities", "Beta", "--json").lines.count == 2)
  }

  @Test("takes the new timestamp and the new envelope")
  func takesEnvelope() throws {
    let first = try workspace.file("first.json", Payload.characters(["Rick"]))
    let second = try workspace.file(
      "second.json", "{\"results\":[\(Payload.character("Morty"))],\"page\":2}")
    #expect(
      try workspace.feedcore("ingest", first, "--timestamp", "2001-01-01T00:00:00Z").status == 0)
    #expect(
      try workspace.feedcore(
        "ingest", second, "--append", "--timestamp", "2002-01-01T00:00:00Z"
      ).status == 0)
    #expect(try workspace.feeds().first?["timestamp"] as? String == "2002-01-01T00:00:00Z")
    let export = try workspace.feedcore("export", "characters").output
    #expect(
      export == "{\"results\":[\n\(Payload.character("Rick")),\n\(Payload.character("Morty"))\n]"
        + ",\"page\":2}\n")
  }

  @Test("records of another kind do not fit the feed and change nothing")
  func otherKind() throws {
    try workspace.publishUniversities()
    let before = try workspace.snapshot()
    let outcome = try workspace.feedcore(
      "ingest", try workspace.sample("news", 2), "--feed", "universities", "--append")
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(try workspace.snapshot() == before)
  }

  @Test("makes a feed that does not exist")
  func newFeed() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    #expect(try workspace.feedcore("ingest", file, "--append").status == 0)
    #expect(try workspace.names(of: "universities") == ["Alpha"])
  }
}
