import Foundation
import TestSupport
import Testing

@Suite("Show, get and feeds")
struct ReadingTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    let records = [
      Payload.university("Alpha"), Payload.university("Beta", country: "Peru"),
      Payload.university("Gamma"), Payload.university("Beta", country: "Cuba"),
      Payload.university("Ünïversität 大学 \\u001b[31m\\n"),
    ]
    let file = try workspace.file("payload.json", "[" + records.joined(separator: ",") + "]")
    guard try workspace.feedcore("ingest", file).status == 0 else { throw Workspace.Unexpected() }
  }

  private func names(_ arguments: String...) throws -> [String] {
    let command = try workspace.feedcore(
      arguments[0], "universities", arguments[1], arguments[2], arguments[3], arguments[4],
      "--format", "ndjson")
    return try command.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return object?["name"] as? String ?? ""
    }
  }

  @Test("show prints a table with a column for each field")
  func table() throws {
    let outcome = try workspace.feedcore("show", "universities")
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 6)
    #expect(
      outcome.lines[0].split(separator: " ").map(String.init) == [
        "name", "domains", "web_pages", "country", "alpha_two_code", "state-province",
      ])
    #expect(outcome.lines[1].hasPrefix("Alpha "))
  }

  @Test("a table shows control characters as escapes")
  func tableEscapes() throws {
    let outcome = try workspace.feedcore("show", "universities", "--offset", "4")
    #expect(outcome.lines.count == 2)
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.output.contains("Ünïversität 大学 \\u001B[31m\\n"))
  }

  @Test("a table truncates long cells on a terminal, and nothing elsewhere")
  func tableCuts() throws {
    let name = String(repeating: "long ", count: 1_000) + "end"
    let file = try workspace.file("long.json", Payload.universities(["Short", name]))
    #expect(try workspace.feedcore("ingest", file, "--feed", "long").status == 0)
    let whole = try workspace.feedcore("show", "long")
    #expect(whole.lines.last?.hasPrefix(name + "  ") == true)
    #expect(!whole.output.contains("…"))
    let terminal = try PseudoTerminal(columns: 90)
    let command = try workspace.start(
      ["show", "long"], output: .descriptor(terminal.terminal), environment: ["NO_COLOR": "1"])
    #expect(command.wait() == 0)
    let lines = terminal.output().components(separatedBy: "\r\n")
    #expect(lines.count == 6 && lines.allSatisfy { $0.count <= 90 })
    #expect(lines[2].contains("…"))
    #expect(lines[4] == "2 of 2 records")
  }

  @Test("a table aligns its columns, even if some cells are longer")
  func tableColumns() throws {
    let names = ["A", String(repeating: "b", count: 400), String(repeating: "c", count: 600)]
    let file = try workspace.file("long.json", Payload.universities(names))
    #expect(try workspace.feedcore("ingest", file, "--feed", "long").status == 0)
    let lines = try workspace.feedcore("show", "long").lines
    let columns = lines.map { line in
      line.firstRange(of: "C").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
    }
    #expect(columns[1] != nil && columns[1] == columns[2])
  }

  @Test("show prints a limited number of records from an offset")
  func limitAndOffset() throws {
    #expect(try names("show", "--limit", "2", "--offset", "1") == ["Beta", "Gamma"])
    #expect(try names("show", "--limit", "9", "--offset", "3").count == 2)
    #expect(try names("show", "--limit", "9", "--offset", "99") == [])
    #expect(try names("show", "--limit", "0", "--offset", "0") == [])
  }

  @Test("show prints 20 records by default")
  func defaultLimit() throws {
    let file = try workspace.sample("news", 30)
    #expect(try workspace.feedcore("ingest", file).status == 0)
    #expect(try workspace.feedcore("show", "news", "--format", "ndjson").lines.count == 20)
  }

  @Test("show filters by the text of a field")
  func filter() throws {
    #expect(try names("show", "--where", "country=Chile", "--limit", "2") == ["Alpha", "Gamma"])
    #expect(try names("show", "--where", "country=Chile", "--offset", "1").first == "Gamma")
    #expect(try names("show", "--where", "country=chile", "--limit", "9") == [])
    #expect(try names("show", "--where", "country=Chile", "--where", "name=Gamma") == ["Gamma"])
    #expect(try names("show", "--where", "country=Chile", "--where", "country=Peru") == [])
  }

  @Test("show filters a list by its elements, and an id without regard to case")
  func filterOtherKinds() throws {
    let list = try workspace.file(
      "list.json",
      #"{"name":"A","domains":["a.edu","b=c"],"web_pages":[],"country":"X","alpha_two_code":"X"}"#)
    #expect(try workspace.feedcore("ingest", list, "--feed", "list").status == 0)
    #expect(
      try workspace.feedcore("show", "list", "--where", "domains=b=c", "--format", "ndjson")
        .lines.count == 1)
    let comment = try workspace.file("comment.json", Payload.comment())
    #expect(try workspace.feedcore("ingest", comment).status == 0)
    let conditions = [
      "id=\(Payload.identifier.lowercased())": 1, "author.username=u": 1, "author.username=U": 0,
      "created_at=2020-05-20T11:24:59Z": 1, "created_at=2020-05-20T13:24:59+02:00": 1,
      "created_at=2020-05-20T11:24:59.5Z": 0, "created_at=2020": 0,
    ]
    for (condition, count) in conditions {
      let outcome = try workspace.feedcore(
        "show", "comments", "--where", condition, "--format", "ndjson")
      #expect(outcome.lines.count == count, "\(condition)")
    }
  }

  @Test("show finds a value that begins with a combining accent")
  func filterByAccent() throws {
    let list = try workspace.file(
      "list.json",
      #"[{"name":"A","web_pages":[],"country":"\u0301a","alpha_two_code":"X"},"#
        + #"{"name":"B","web_pages":[],"country":"a","alpha_two_code":"X"}]"#)
    #expect(try workspace.feedcore("ingest", list, "--feed", "list").status == 0)
    let outcome = try workspace.feedcore(
      "show", "list", "--where", "country=\u{301}a", "--format", "ndjson")
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1 && outcome.output.contains(#""name":"A""#))
  }

  @Test("show refuses an unknown field as wrong usage, and lists the fields")
  func unknownField() throws {
    let outcome = try workspace.feedcore("show", "universities", "--where", "town=Lima")
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.contains("country"))
    #expect(try workspace.feedcore("show", "universities", "--where", "country").status == 64)
  }

  @Test("show prints an array of contract objects as JSON")
  func json() throws {
    let outcome = try workspace.feedcore(
      "show", "universities", "--format", "json", "--limit", "2")
    let array = try outcome.json() as? [[String: Any]]
    #expect(array?.map { $0["name"] as? String } == ["Alpha", "Beta"])
    let empty = try workspace.feedcore("show", "universities", "--format", "json", "--limit", "0")
    #expect(empty.output == "[]\n")
  }

  @Test("get prints every record with a key, in document order")
  func get() throws {
    let outcome = try workspace.feedcore("get", "universities", "Beta", "--json")
    #expect(outcome.status == 0)
    #expect(
      outcome.lines == [
        Payload.university("Beta", country: "Peru"), Payload.university("Beta", country: "Cuba"),
      ])
  }

  @Test("get prints a record as a block of its fields by default")
  func getForPeople() throws {
    let outcome = try workspace.feedcore("get", "universities", "Beta")
    #expect(
      outcome.output == """
        name: Beta
        domains:
        web_pages:
        country: Peru
        alpha_two_code: CL

        name: Beta
        domains:
        web_pages:
        country: Cuba
        alpha_two_code: CL

        """)
  }

  @Test("get and detail end with 1 and name the key without a match", arguments: ["get", "detail"])
  func getNothing(command: String) throws {
    for key in ["Delta", "alpha", "Alph", ""] {
      let outcome = try workspace.feedcore(command, "universities", key)
      #expect(outcome.status == 1)
      #expect(outcome.output == "")
      let shown = key.isEmpty ? "''" : key
      #expect(
        outcome.errorLines == ["\(shown): no record of universities has this name"])
    }
  }

  @Test("get finds an id without regard to case, and reports an invalid id")
  func getByIdentifier() throws {
    let file = try workspace.file("comment.json", Payload.comment())
    #expect(try workspace.feedcore("ingest", file).status == 0)
    let found = try workspace.feedcore(
      "get", "comments", Payload.identifier.lowercased(), "--json")
    #expect(try found.object()["id"] as? String == Payload.identifier)
    let wrong = try workspace.feedcore("get", "comments", "59916DC3")
    #expect(wrong.status == 1)
    #expect(wrong.output == "")
    #expect(wrong.errorLines.count == 1)
  }

  @Test("feeds lists all feeds by name")
  func feeds() throws {
    let file = try workspace.sample("news", 1_500)
    _ = try workspace.feedcore(
      "ingest", file, "--feed", "Archive", "--timestamp", "2019-05-08T00:00:00Z")
    let lines = try workspace.feedcore("feeds").lines
    try #require(lines.count == 3)
    #expect(
      lines[0].split(separator: " ").map(String.init) == [
        "name", "kind", "records", "bytes", "age", "generation",
      ])
    #expect(lines[1].hasPrefix("Archive"))
    #expect(lines[1].contains(" 1,500 "))
    #expect(lines[1].contains(" days "))
    #expect(lines[2].hasPrefix("universities"))
    let feed = try #require(try workspace.feeds().first)
    #expect(
      Set(feed.keys) == [
        "name", "kind", "records", "bytes", "ageSeconds", "timestamp", "generation", "origin",
        "indexed",
      ])
    #expect(feed["origin"] as? String == file)
    #expect(feed["records"] as? Int == 1_500)
    #expect(try #require(feed["ageSeconds"] as? Int) > 200_000_000)
  }
}
