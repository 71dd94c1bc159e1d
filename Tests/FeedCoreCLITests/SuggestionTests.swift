import Foundation
import TestSupport
import Testing

@Suite("Suggestions and hints")
struct SuggestionTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    let file = try workspace.file(
      "events.ndjson",
      """
      {"id":1,"type":"Push","payload":{"size":3,"tags":[{"name":"a"}]}}
      {"id":2,"type":"Pull","payload":{"size":4,"tags":[]},"a.b":1}

      """)
    guard try workspace.feedcore("ingest", file).status == 0 else { throw Workspace.Unexpected() }
  }

  @Test(
    "a command on an unknown feed suggests a similar name: a typo, another case or a prefix",
    arguments: [
      ["show", "unversities"], ["get", "univresities", "Alpha"], ["export", "Universities"],
      ["detail", "universitiess", "Alpha"], ["schema", "show", "univ"], ["delete", "unibersities"],
    ])
  func feeds(_ arguments: [String]) throws {
    let name = try #require(arguments.first { $0.lowercased().hasPrefix("un") })
    let outcome = try workspace.feedcore(arguments)
    #expect(outcome.status == 66)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == "\(workspace.store): there is no feed named \(name); did you mean"
        + " universities?\n")
  }

  @Test(
    "no feed is suggested if none has a similar name", arguments: ["nope", "e", "x", "universe"])
  func noFeed(_ name: String) throws {
    let outcome = try workspace.feedcore("show", name)
    #expect(outcome.errors.hasSuffix("there is no feed named \(name)\n"))
  }

  @Test(
    "an unknown command is wrong usage, and a similar one is suggested",
    arguments: [
      (["shwo"], "show"), (["shwo", "universities", "--limit", "1"], "show"),
      (["Export", "universities"], "export"), (["help", "ingset"], "ingest"),
      (["store", "chek"], "check"), (["schema", "infre", "-x"], "infer"),
    ])
  func commands(_ arguments: [String], _ meant: String) throws {
    let outcome = try workspace.feedcore(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errorLines.last?.hasSuffix("; did you mean '\(meant)'?") == true)
  }

  @Test(
    "a command is suggested only if it is similar and listed by help",
    arguments: [["nonsense"], ["store", "chidl"], ["--shwo"], ["store", "check", "chek"]])
  func noCommand(_ arguments: [String]) throws {
    #expect(try !workspace.feedcore(arguments).errors.contains("'?"))
  }

  @Test(
    "a condition on a key that no record has suggests a similar key",
    arguments: [
      ("typ = Push", "no record has typ; did you mean type?"),
      ("payload.siez > 1", "no record has payload.siez; did you mean payload.size?"),
      ("/payload/siez > 1", "no record has payload.siez; did you mean payload.size?"),
      (
        "payload.tags[].nam=a",
        "no record has payload.tags[].nam; did you mean payload.tags[].name?"
      ),
      ("zzzzzz exists", "no record has zzzzzz"),
    ])
  func keys(_ condition: String, _ hint: String) throws {
    let outcome = try workspace.feedcore("show", "events", "--where", condition)
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(outcome.errors == "events: no record matches; \(hint)\n")
    for (option, output) in [("--json", "[]\n"), ("--count", "0\n"), ("--format=ndjson", "")] {
      let outcome = try workspace.feedcore("show", "events", "--where", condition, option)
      #expect(outcome.status == 0)
      #expect(outcome.output == output)
      #expect(outcome.errors == "events: \(hint)\n")
    }
  }

  @Test(
    "an ingest with a key or an index that no record has suggests a similar key",
    arguments: ["--key", "--index"])
  func givenPaths(option: String) throws {
    let file = try workspace.file("things.json", #"[{"code":"a"},{"code":"b"},{"code":"c"}]"#)
    let outcome = try workspace.feedcore("ingest", file, option, "cod")
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasSuffix("warning: no record has cod; did you mean code?\n"))
    #expect(try workspace.feedcore("ingest", file, option, "code").errors == "")
  }

  @Test(
    "columns, orders and conditions with a missing key are applied, with a warning",
    arguments: [
      ["show", "events", "--fields", "id,typ"], ["show", "events", "--sort", "-typ"],
      ["export", "events", "--format", "csv", "--fields", "typ"],
      ["show", "events", "--where", "typ !exists", "--count"],
      ["export", "events", "--where", "typ != Push"],
    ])
  func columns(arguments: [String]) throws {
    let outcome = try workspace.feedcore(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output != "")
    #expect(outcome.errors == "warning: no record has typ; did you mean type?\n")
  }

  @Test(
    "a condition that no record matches gets a hint if it looks like other syntax",
    arguments: [
      ("type = Push and payload.size > 1", "give each with a --where of its own"),
      ("type = x || type = y", "type in x,y"), ("type in (Push)", "no parentheses"),
      ("type ~ ^Push", "takes no pattern"), ("type ~ 'P.*h'", "takes no pattern"),
    ])
  func misreadConditions(_ condition: String, _ hint: String) throws {
    let outcome = try workspace.feedcore("show", "events", "--where", condition)
    #expect(outcome.status == 0)
    #expect(outcome.errors.hasPrefix("events: no record matches; "))
    #expect(outcome.errors.contains(hint), "\(outcome.errors)")
  }

  @Test(
    "a condition that cannot be parsed gets the same hint",
    arguments: [
      ("type = 'Push' and payload.size > 1", "give each with a --where of its own"),
      ("type = 'Push' or type = 'Fork'", "type in x,y"), ("type in ('Push','x')", "no parentheses"),
    ], ["show", "export"])
  func unreadableConditions(_ condition: (text: String, hint: String), command: String) throws {
    let outcome = try workspace.feedcore(command, "events", "--where", condition.text)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(condition.hint), "\(outcome.errors)")
  }

  @Test("--distinct with a key that no record has suggests a similar key")
  func distinct() throws {
    let outcome = try workspace.feedcore("show", "events", "--distinct", "typ")
    #expect(outcome.output == "")
    #expect(
      outcome.errors
        == "events: there are no values here; no record has typ; did you mean type?\n")
  }

  @Test("nothing is suggested for a key that a record has, or if there are too many keys to list")
  func presentKeys() throws {
    let nothing = try workspace.feedcore("show", "events", "--where", "type = Fork")
    #expect(nothing.errors == "events: no record matches\n")
    let element = try workspace.feedcore("show", "events", "--where", "payload.tags[9].name = b")
    #expect(element.errors == "events: no record matches\n")
    let keys = (0..<700).map { "\"k\($0)\":1" }.joined(separator: ",")
    let file = try workspace.file("map.json", "[{\(keys)}]")
    #expect(try workspace.feedcore("ingest", file, "--feed", "map").status == 0)
    let map = try workspace.feedcore("show", "map", "--where", "j1 = 1", "--count")
    #expect(map.output + map.errors == "0\n")
  }
}
