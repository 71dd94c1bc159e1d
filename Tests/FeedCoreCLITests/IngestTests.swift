import Foundation
import TestSupport
import Testing

@Suite("Ingest")
struct IngestTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("prints one line with the result")
  func lastLine() throws {
    let file = try workspace.sample("universities", 1_234)
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.count == 1)
    let pattern =
      #/universities: 1,234 records, [\d.]+ MB/s, [\d.]+ s, peak memory [\d.]+ [kM]B, generation 1/#
    #expect(try pattern.wholeMatch(in: outcome.lines[0]) != nil, "\(outcome.output)")
  }

  @Test("prints the same as JSON, in exactly these fields")
  func json() throws {
    let file = try workspace.sample("feed", 321)
    let outcome = try workspace.feedcore("ingest", file, "--json", "--quiet")
    let report = try outcome.object()
    #expect(
      Set(report.keys) == [
        "records", "rejected", "bytes", "seconds", "megabytesPerSecond", "peakMemoryBytes", "feed",
        "kind", "generation", "feedRecords", "storedBytes", "unusableURLs", "droppedKeys",
      ])
    #expect(report["records"] as? Int == 321)
    #expect(report["rejected"] as? Int == 0)
    #expect(report["bytes"] as? Int == (try workspace.contents(file).count))
    #expect(report["feed"] as? String == "feed")
    #expect(report["kind"] as? String == "feed")
    #expect(try #require(report["seconds"] as? Double) > 0)
    #expect(try #require(report["peakMemoryBytes"] as? Int) > 0)
    #expect(try #require(report["storedBytes"] as? Int) > 0)
    #expect(outcome.lines.count == 1)
  }

  @Test("prints nothing with --quiet")
  func quiet() throws {
    let outcome = try workspace.feedcore(
      "ingest", try workspace.sample("comments", 3), "--quiet")
    #expect(outcome.status == 0)
    #expect(outcome.output + outcome.errors == "")
  }

  @Test("accepts a date that is not ISO 8601 with --dates lenient, and so does check")
  func dates() throws {
    let file = try workspace.file("comments.json", Payload.comment(date: "2020-05-20 11:24:59"))
    for command in ["check", "ingest"] {
      for (options, status) in [
        ([], 65), (["--dates", "strict"], 65), (["--dates", "loose"], 64),
        (["--dates", "lenient"], 0),
      ] as [([String], Int32)] {
        let arguments = [command, file, "--kind", "comments"] + options
        #expect(try workspace.feedcore(arguments).status == status, "\(options)")
      }
    }
    let stored = try workspace.feedcore("show", "comments", "--format", "ndjson")
    #expect(stored.output.contains(#""created_at":"2020-05-20T11:24:59Z""#))
  }

  @Test(
    "detects the kind of a payload in each form",
    arguments: ["universities", "feed", "comments", "characters", "news"],
    ["json", "pretty", "ndjson"])
  func kinds(_ kind: String, _ format: String) throws {
    let file = try workspace.sample(kind, 57, format: format)
    let report = try workspace.feedcore("ingest", file, "--json").object()
    #expect(report["kind"] as? String == kind)
    #expect(report["feed"] as? String == kind)
    #expect(try workspace.records(of: kind) == 57)
  }

  @Test("reads standard input")
  func standardInput() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha", "Beta"]))
    let outcome = try workspace.feedcore("ingest", "-", "--quiet", input: .file(file))
    #expect(outcome.status == 0)
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta"])
  }

  @Test("makes one generation of several files, in their order")
  func severalFiles() throws {
    let first = try workspace.file("first.json", Payload.universities(["Alpha", "Beta"]))
    let second = try workspace.file("second.ndjson", Payload.lines(["Gamma"]))
    let report = try workspace.feedcore("ingest", second, first, "--json").object()
    #expect(report["records"] as? Int == 3)
    #expect(report["generation"] as? Int == 1)
    #expect(try workspace.names(of: "universities") == ["Gamma", "Alpha", "Beta"])
  }

  @Test("refuses a second kind among its files as bad data, whether or not the first is named")
  func severalKinds() throws {
    try workspace.publishUniversities()
    let before = try workspace.snapshot()
    let files = [try workspace.sample("universities", 2), try workspace.sample("news", 2)]
    for kind in [[], ["--kind", "universities"]] {
      let outcome = try workspace.feedcore(["ingest"] + files + kind)
      #expect(outcome.status == 65)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.errors.hasPrefix(files[1]))
    }
    #expect(try workspace.snapshot() == before)
  }

  @Test("detects the kind from the first file that has a record", arguments: ["[]", "[ ]\n"])
  func emptyFirst(_ empty: String) throws {
    let none = try workspace.file("none.json", empty)
    let file = try workspace.file("some.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("ingest", none, none, file)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try workspace.names(of: "universities") == ["Alpha"])
    #expect(try workspace.feedcore("ingest", file, none).status == 0)
  }

  @Test("publishes an empty feed of documents if no file has a record")
  func allEmpty() throws {
    let files = try ["first.json", "last.json"].map { try workspace.file($0, "[]") }
    let outcome = try workspace.feedcore(["ingest"] + files)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("first: 0 records"))
    #expect(try workspace.feedcore("export", "first").output == "[]\n")
  }

  @Test("refuses a file without records whose form does not fit the kind of the others")
  func emptyOfOtherKind() throws {
    let none = try workspace.file("none.json", #"{"articles":[]}"#)
    let file = try workspace.file("some.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("ingest", file, none)
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.hasPrefix(none))
    #expect(try workspace.feedcore("ingest", none, file).status == 0)
    let news = try workspace.sample("news", 2)
    #expect(try workspace.feedcore("ingest", none, news).status == 0)
  }

  @Test("uses one name for standard input in messages and in rejects")
  func nameOfStandardInput() throws {
    let file = try workspace.file("payload.json", Payload.universities(["A"]))
    #expect(try workspace.feedcore("ingest", "-", input: .file(file)).status == 0)
    #expect(try workspace.feeds().first?["origin"] as? String == "stdin")
  }

  @Test("reports the records of the feed in addition to the added ones")
  func feedRecords() throws {
    let (first, second) = (Payload.universities(["A", "B"]), Payload.universities(["B", "C"]))
    let files = (
      try workspace.file("first.json", first), try workspace.file("second.json", second)
    )
    #expect(try workspace.feedcore("ingest", files.0).status == 0)
    let report = try workspace.feedcore("ingest", files.1, "--append", "--json").object()
    #expect(report["records"] as? Int == 1)
    #expect(report["feedRecords"] as? Int == 3)
  }

  @Test("refuses an invalid limit of the file as wrong usage", arguments: [0, -1, Int.min])
  func fileLimit(bytes: Int) throws {
    let file = try workspace.file("payload.json", Payload.universities(["A"]))
    #expect(try workspace.feedcore("ingest", file, "--file-limit=\(bytes)").status == 64)
  }

  @Test("takes a single object that fits a kind as one record")
  func singleObject() throws {
    let file = try workspace.file("one.json", Payload.university("Alpha") + "\n")
    #expect(try workspace.feedcore("ingest", file).status == 0)
    #expect(try workspace.names(of: "universities") == ["Alpha"])
  }

  @Test("publishes a feed without records if the kind is named")
  func noRecords() throws {
    try workspace.publishUniversities()
    let file = try workspace.file("none.json", "[]")
    let outcome = try workspace.feedcore("ingest", file, "--kind", "universities")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("universities: 0 records, "))
    #expect(try workspace.records(of: "universities") == 0)
    #expect(try workspace.feedcore("export", "universities").output == "[]\n")
  }

  @Test("replaces a feed of any kind")
  func replaces() throws {
    try workspace.publishUniversities(feed: "mine")
    let file = try workspace.sample("news", 4)
    #expect(try workspace.feedcore("ingest", file, "--feed", "mine").status == 0)
    let feed = try #require(try workspace.feeds().first)
    #expect(feed["kind"] as? String == "news")
    #expect(feed["records"] as? Int == 4)
  }

  @Test(
    "uses the given timestamp",
    arguments: [
      ("2020-05-20T11:24:59Z", "2020-05-20T11:24:59Z"),
      ("2020-05-20T11:24:59.25+02:00", "2020-05-20T09:24:59.25Z"),
      ("2999-12-31T23:59:59Z", "2999-12-31T23:59:59Z"),
    ])
  func timestamp(_ given: String, _ stored: String) throws {
    let file = try workspace.sample("news", 1)
    #expect(try workspace.feedcore("ingest", file, "--timestamp", given).status == 0)
    #expect(try workspace.feeds().first?["timestamp"] as? String == stored)
  }

  @Test("supports both durabilities", arguments: ["cache", "full"])
  func durability(_ durability: String) throws {
    let file = try workspace.sample("news", 2)
    #expect(try workspace.feedcore("ingest", file, "--durability", durability).status == 0)
    #expect(try workspace.records(of: "news") == 2)
  }
}
