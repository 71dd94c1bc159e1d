import Foundation
import TestSupport
import Testing

@Suite("Several processes")
struct ConcurrencyTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test(
    "a feed that is being ingested is busy for other processes; other feeds are not",
    .timeLimit(.minutes(10)))
  func busy() throws {
    try workspace.publishUniversities()
    let before = try workspace.snapshot()
    let ingest = try OpenIngest(workspace, names: ["New"])
    let file = try workspace.file("payload.json", Payload.universities(["Other"]))
    for outcome in [
      try workspace.feedcore("ingest", file), try workspace.feedcore("delete", "universities"),
    ] {
      #expect(outcome.status == 75)
      #expect(outcome.output == "")
      #expect(outcome.errorLines.count == 1)
    }
    #expect(try workspace.snapshot() == before)
    #expect(try workspace.feedcore("ingest", file, "--feed", "other").status == 0)
    #expect(ingest.finish() == 0)
    #expect(try workspace.names(of: "universities") == ["New"])
  }

  @Test("with --wait an ingest waits for the one before it", .timeLimit(.minutes(10)))
  func wait() throws {
    let ingest = try OpenIngest(workspace, names: ["First"])
    let file = try workspace.file("payload.json", Payload.universities(["Second"]))
    let waiting = try workspace.start(["ingest", file, "--wait"])
    #expect(waiting.isRunning)
    #expect(ingest.finish() == 0)
    #expect(waiting.wait() == 0)
    #expect(try workspace.names(of: "universities") == ["Second"])
  }

  @Test(
    "a reader sees the old or the new records during ingests, never others or an error",
    .timeLimit(.minutes(10)))
  func readers() throws {
    let sizes = [6_000, 9_000]
    let files = try sizes.map { try workspace.sample("universities", $0, seed: $0) }
    guard try workspace.feedcore("ingest", files[0]).status == 0 else {
      throw Workspace.Unexpected()
    }
    // The first records of the two files have different names.
    let keys = try files.indices.map { index in
      let feed = "first-\(index)"
      _ = try workspace.feedcore("ingest", files[index], "--feed", feed)
      return try workspace.names(of: feed)[0]
    }
    var reads = 0
    for round in 1...6 {
      let ingest = try workspace.start(["ingest", files[round % 2], "--quiet"])
      repeat {
        let shown = try workspace.feedcore(
          "show", "universities", "--limit", "1000000", "--format", "ndjson")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(sizes.contains(shown.lines.count), "\(shown.lines.count)")
        let before = try generation()
        let found = try keys.map {
          try workspace.feedcore("get", "universities", $0, "--json").status
        }
        #expect(found.allSatisfy { $0 == 0 || $0 == 1 })
        // Between two look-ups, one generation may replace the other.
        if try generation() == before { #expect(found.contains(0)) }
        #expect(sizes.contains(try #require(try workspace.records(of: "universities"))))
        reads += 1
      } while ingest.isRunning
      #expect(ingest.wait() == 0)
      #expect(try workspace.records(of: "universities") == sizes[round % 2])
    }
    #expect(reads >= 6)
  }

  private func generation() throws -> Int? {
    let feed = try workspace.feeds().first { $0["name"] as? String == "universities" }
    return feed?["generation"] as? Int
  }
}
