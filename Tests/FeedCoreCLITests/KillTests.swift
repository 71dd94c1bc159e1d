import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Kill -9")
struct KillTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  private var fileSize: Int {
    get throws {
      let path = workspace.store + "/feeds/data.mdb"
      return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
  }

  @Test(
    "at any moment of a re-ingest leaves the old feed or the new one whole, and the store usable",
    .timeLimit(.minutes(10)))
  func atAnyMoment() throws {
    let sizes = [40_000, 40_001]
    let files = try sizes.map { try workspace.sample("universities", $0, seed: $0) }
    let exports = try files.indices.map { index in
      let feed = "fresh-\(index)"
      let store = workspace.path + "/fresh"
      let outcome = try workspace.feedcore(
        "ingest", files[index], "--feed", feed, "--store", store)
      guard outcome.status == 0 else { throw Workspace.Unexpected() }
      return try workspace.feedcore("export", feed, "--store", store).bytes
    }
    let clock = ContinuousClock()
    var duration = try clock.measure { _ = try workspace.feedcore("ingest", files[0]) }
    let fresh = try fileSize
    duration = try max(duration, clock.measure { _ = try workspace.feedcore("ingest", files[0]) })

    for kill in 0..<10 {
      let command = try workspace.start(["ingest", files[1]])
      usleep(UInt32(duration / .microseconds(1) * Double(kill) / 9))
      command.send(SIGKILL)
      _ = command.wait()
      let export = try workspace.feedcore("export", "universities")
      #expect(export.status == 0, "\(export.errors)")
      #expect(exports.contains(export.bytes))
      if export.bytes != exports[0] {
        #expect(try workspace.feedcore("ingest", files[0]).status == 0)
      }
    }
    // Without reuse of pages, ten dead generations would make the file five times as large.
    #expect(try Double(fileSize) <= 2.6 * Double(fresh))

    let next = try workspace.feedcore("ingest", files[1])
    #expect(next.status == 0, "\(next.errors)")
    #expect(try workspace.feedcore("export", "universities").bytes == exports[1])
  }

  @Test("leaves a generation that other processes recognize as dead")
  func leavesDeadGeneration() throws {
    // Two batches stay in memory; there are enough records that some are committed.
    let ingest = try OpenIngest(workspace, names: (0..<400_000).map { "New \($0)" })
    let database = try FeedDatabase.open(at: workspace.store)
    let deadline = ContinuousClock.now + .seconds(30)
    while try database.sweep().left == 0 {
      guard ContinuousClock.now < deadline else { throw Workspace.Unexpected() }
    }
    ingest.kill()
    let report = try database.sweep()
    #expect(report.removed == 1)
    #expect(report.left == 0)
  }

  @Test("leaves no lock on the feed, and only data that the next ingest removes")
  func leavesNothingLocked() throws {
    try workspace.publishUniversities()
    let ingest = try OpenIngest(workspace, names: ["New"])
    ingest.kill()
    let file = try workspace.file("payload.json", Payload.universities(["Other"]))
    #expect(try workspace.feedcore("ingest", file).status == 0)
    #expect(try workspace.names(of: "universities") == ["Other"])
    let report = try FeedDatabase.open(at: workspace.store).sweep()
    #expect(report.removed + report.left == 0)
  }
}
