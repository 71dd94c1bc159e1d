import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Ctrl-C", .timeLimit(.minutes(10)))
struct InterruptTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  /// Generations that a sweep has to remove: none if every process has cleaned up.
  private func abandonedGenerations() throws -> Int {
    let report = try FeedDatabase.open(at: workspace.store).sweep()
    return report.removed + report.left
  }

  @Test("ends an ingest that waits for input with 130, and leaves nothing of it")
  func whileReading() throws {
    let before = try workspace.snapshot()
    let ingest = try OpenIngest(workspace, names: ["New"])
    let outcome = try ingest.interrupt()
    #expect(outcome.status == 130)
    #expect(outcome.errors == "interrupted; nothing was published\n")
    #expect(try workspace.snapshot() == before)
    #expect(try abandonedGenerations() == 0)
  }

  @Test("in the middle of an ingest ends it with 130, and leaves nothing of it")
  func whileBusy() throws {
    let before = try workspace.snapshot()
    let file = try workspace.sample("universities", 150_000)
    let command = try workspace.start(["ingest", file])
    try command.waitUntilItHandlesInterrupts()
    command.send(SIGINT)
    #expect(command.wait() == 130)
    #expect(try workspace.snapshot() == before)
    #expect(try abandonedGenerations() == 0)
  }

  @Test("ends an ingest that waits for another")
  func whileWaiting() throws {
    let ingest = try OpenIngest(workspace, names: ["New"])
    let file = try workspace.file("payload.json", Payload.universities(["Other"]))
    let waiting = try workspace.start(["ingest", file, "--wait"])
    try waiting.waitUntilItHandlesInterrupts()
    waiting.send(SIGINT)
    #expect(waiting.wait() == 130)
    #expect(ingest.finish() == 0)
    #expect(try workspace.names(of: "universities") == ["New"])
  }

  @Test("ends a benchmark, and leaves no temporary files", arguments: ["read", "ingest"])
  func whileMeasuring(_ measurement: String) throws {
    let file = try workspace.sample("universities", 20_000)
    let directory = workspace.path + "/temporary"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let command = try workspace.start(
      ["bench", measurement, file], environment: ["TMPDIR": directory])
    while try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty {
      try #require(command.isRunning)
    }
    command.send(SIGINT)
    #expect(command.wait() == 130)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
  }

  @Test("leaves no part of an export")
  func whileExporting() throws {
    let file = try workspace.sample("universities", 100_000)
    guard try workspace.feedcore("ingest", file).status == 0 else { throw Workspace.Unexpected() }
    let directory = workspace.path + "/out"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let errors = workspace.path + "/errors"
    let command = try workspace.start(
      ["export", "universities", "--output", directory + "/it"], errors: .file(errors))
    try command.waitUntilItHandlesInterrupts()
    command.send(SIGINT)
    #expect(command.wait() == 130)
    #expect(String(decoding: try workspace.contents(errors), as: UTF8.self) == "interrupted\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
  }
}
