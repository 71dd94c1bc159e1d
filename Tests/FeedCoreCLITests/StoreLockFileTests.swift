import FeedCore
import FeedStorage
import Foundation
import TestSupport
import Testing

/// A cleanup of "stale locks" removes lock.mdb of a store that a process, here this one, has open.
@Suite("A removed lock.mdb", .timeLimit(.minutes(10)))
struct StoreLockFileTests {
  private let workspace: Workspace
  private let database: FeedDatabase
  private let name: FeedName
  private var lock: String { workspace.store + "/feeds/lock.mdb" }

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
    database = try FeedDatabase.open(at: workspace.store)
    name = try FeedName("universities")
  }

  @Test("is replaced by another process, whose commits the next read sees")
  func reader() throws {
    for number in 0..<5 {
      _ = try database.feedDescription(named: name)
      #expect(unlink(lock) == 0)
      let file = try workspace.file("payload.json", Payload.universities(["New \(number)"]))
      #expect(try workspace.feedcore("ingest", file).status == 0)
      let feed = try #require(try database.feed(named: name))
      #expect(try feed.records(of: University.self).map(\.name) == ["New \(number)"])
    }
  }

  @Test("is replaced by the next writer of any process, and no commit is lost")
  func writers() throws {
    for number in 0..<5 {
      #expect(unlink(lock) == 0)
      let file = try workspace.file("payload.json", Payload.universities(["New \(number)"]))
      #expect(try workspace.feedcore("ingest", file).status == 0)
      let seconds = Double(number + 1)
      #expect(try database.renew(name, referenceSeconds: seconds)?.recordCount == 1)
      #expect(unlink(lock) == 0)
      #expect(try database.renew(name, referenceSeconds: seconds + 0.5) != nil)
      #expect(try workspace.names(of: "universities") == ["New \(number)"])
      #expect(try database.feedDescription(named: name)?.referenceSeconds == seconds + 0.5)
    }
    let check = try workspace.feedcore("store", "check")
    #expect(check.status == 0, "\(check.output)")
  }

  @Test("during a write is not replaced before that write has been committed")
  func duringWrite() throws {
    let writer = try HeldWriter(of: database)
    #expect(unlink(lock) == 0)
    let file = try workspace.file("payload.json", Payload.universities(["New"]))
    let waiting = try workspace.start(["ingest", file])
    #expect(try database.feedDescription(named: name) != nil)
    #expect(!database.isClosed)
    writer.end()
    #expect(waiting.wait() == 0)
    let feed = try #require(try database.feed(named: name))
    #expect(try feed.records(of: University.self).map(\.name) == ["New"])
  }
}
