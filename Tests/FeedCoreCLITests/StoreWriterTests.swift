import FeedStorage
import Foundation
import TestSupport
import Testing

/// This process acts as one that was stopped in the middle of a write.
@Suite("A process that is writing the store", .timeLimit(.minutes(10)))
struct StoreWriterTests {
  private let workspace: Workspace
  private let database: FeedDatabase
  private let file: String

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    database = try FeedDatabase.open(at: workspace.store)
    file = try workspace.file("payload.json", Payload.universities(["New"]))
  }

  @Test("is named by another write that times out and changes nothing")
  func named() throws {
    let before = try workspace.snapshot()
    let writer = try HeldWriter(of: database)
    let commands = [
      ["ingest", file], ["ingest", file, "--feed", "other", "--append"],
      ["delete", "universities"], ["store", "compact"],
    ]
    for command in commands {
      let outcome = try workspace.feedcore(command + ["--wait-timeout", "0.2"])
      #expect(outcome.status == 75, "\(command)")
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.errors.contains("process \(getpid()) is writing the store"))
      #expect(outcome.errors.contains("kill -CONT \(getpid())"))
    }
    #expect(try workspace.feedcore("get", "universities", "nothing").status == 1)
    writer.end()
    #expect(try workspace.snapshot() == before)
    #expect(try workspace.feedcore("ingest", file).status == 0)
  }

  @Test("is waited for until it has finished")
  func finishes() throws {
    let writer = try HeldWriter(of: database)
    let errors = workspace.path + "/errors"
    let waiting = try workspace.start(["ingest", file], errors: .file(errors))
    try waiting.waitUntilItHandlesInterrupts()
    writer.end()
    #expect(waiting.wait() == 0)
    #expect(try workspace.names(of: "universities") == ["New"])
  }

  @Test("does not prevent Ctrl-C from ending a command that waits for it")
  func interrupted() throws {
    let before = try workspace.snapshot()
    let writer = try HeldWriter(of: database)
    let waiting = try workspace.start(["ingest", file, "--wait-timeout", "3600"])
    try waiting.waitUntilItHandlesInterrupts()
    waiting.send(SIGINT)
    #expect(waiting.wait() == 130)
    writer.end()
    #expect(try workspace.snapshot() == before)
  }

  @Test("lets other processes make short writes during a long ingest")
  func takesTurns() throws {
    let sample = try workspace.sample("universities", 300_000)
    let ingest = try workspace.start(["ingest", sample, "--feed", "long", "--quiet"])
    let name = try FeedName("universities")
    var longest = Duration.zero
    var writes = 0
    while ingest.isRunning {
      let time = try ContinuousClock().measure {
        _ = try database.renew(name, referenceSeconds: Double(writes))
      }
      longest = max(longest, time)
      writes += 1
    }
    #expect(ingest.wait() == 0)
    #expect(writes > 0)
    #expect(longest < .seconds(10))
  }

  @Test("of the same feed is waited for within the limit of --wait, and named")
  func feed() throws {
    let ingest = try OpenIngest(workspace, names: ["First"])
    let outcome = try workspace.feedcore("ingest", "--wait=0.2", file)
    #expect(outcome.status == 75)
    #expect(outcome.errors.contains("the feed universities is being changed by process "))
    #expect(outcome.errors.contains("within 0.2 seconds"))
    let refused = try workspace.feedcore("ingest", file)
    #expect(refused.status == 75)
    #expect(refused.errors.contains("the feed universities is being changed by process "))
    let waiting = try workspace.start(["ingest", "--wait", file])
    #expect(ingest.finish() == 0)
    #expect(waiting.wait() == 0)
    #expect(try workspace.names(of: "universities") == ["New"])
  }

  @Test("cannot be waited for with an invalid number of seconds", arguments: ["-1", "x", ""])
  func usage(_ seconds: String) throws {
    #expect(try workspace.feedcore("ingest", file, "--wait=\(seconds)").status == 64)
    #expect(try workspace.feedcore("ingest", file, "--wait-timeout=\(seconds)").status == 64)
  }
}
