import FeedCore
import FeedStorage
import Foundation
import LMDB
import TestSupport
import Testing

@Suite("A store that is compacted while it is open in another process")
struct ReplacedStoreTests {
  private let workspace: Workspace
  private let database: FeedDatabase

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    database = try FeedDatabase.open(at: workspace.store)
  }

  private func names(_ database: FeedDatabase) throws -> [String] {
    try database.feeds().map(\.name.text)
  }

  /// Another process makes a feed.
  private func ingestElsewhere(_ feed: String) throws {
    let file = try workspace.file("\(feed).json", Payload.universities(["Other"]))
    let outcome = try workspace.feedcore("ingest", file, "--feed", feed)
    guard outcome.status == 0 else { throw Workspace.Unexpected() }
  }

  /// Compacts the store up to a step, as if the process had been killed there.
  private func cutOff(at step: Environment.ReplacementStep) throws {
    let environment = try Environment.open(workspace.store + "/feeds", .init(tables: []))
    #expect(throws: LMDBError.self) {
      try environment.compact { reached throws(LMDBError) in
        if reached == step { throw LMDBError(.io, "cut off", path: nil) }
      }
    }
  }

  @Test(
    "shows the newest feeds, and numbers ingests uniquely, whichever step was interrupted",
    arguments: [.announced, .synchronized, .exchanged] as [Environment.ReplacementStep])
  func cutOff(step: Environment.ReplacementStep) throws {
    #expect(try names(database) == ["universities"])
    try cutOff(at: step)
    try ingestElsewhere("first")
    #expect(try names(database) == ["first", "universities"])
    let file = try workspace.file("own.json", Payload.universities(["Own"]))
    var options = IngestOptions()
    options.feed = try FeedName("own")
    let report = try database.ingest([file], options: options)
    let generations = try database.feeds().map(\.generation)
    #expect(Set(generations).count == 3)
    #expect(report.feed.generation == generations.max())
    #expect(try workspace.names(of: "first") == ["Other"])
    #expect(try workspace.names(of: "own") == ["Own"])
    #expect(try workspace.feedcore("store", "check").status == 0)
  }

  @Test("shows a reader the changes of another process once the path refers to the new file")
  func beforeItsEnd() throws {
    #expect(try names(database) == ["universities"])
    let environment = try Environment.open(workspace.store + "/feeds", .init(tables: []))
    try environment.compact { step throws(LMDBError) in
      guard step == .exchanged else { return }
      do {
        try ingestElsewhere("first")
        #expect(try names(database) == ["first", "universities"])
      } catch {
        throw LMDBError(.io, "\(error)", path: nil)
      }
    }
    #expect(try names(database) == ["first", "universities"])
  }

  @Test("is backed up with everything published since")
  func backUp() throws {
    #expect(try names(database) == ["universities"])
    #expect(try workspace.feedcore("store", "compact").status == 0)
    try ingestElsewhere("first")
    let backup = workspace.path + "/backup"
    #expect(try database.backUp(to: backup) == ["feeds"])
    #expect(try names(FeedDatabase.open(at: backup)) == ["first", "universities"])
  }
}
