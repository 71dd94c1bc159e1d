import FeedCluster
import FeedCore
import FeedStorage
import Foundation
import RESPClient
import TestSupport
import Testing
import Threading

@Suite("A change in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedChangeTests {
  /// The permissions of a role in the documentation.
  private func permissions(of role: String) throws -> String {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/FeedCore/FeedCore.docc/PastOneMachine.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let start = try #require(text.range(of: "- A \(role): `"))
    let end = try #require(text[start.upperBound...].firstIndex(of: "`"))
    return text[start.upperBound..<end].split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("the documented permissions suffice for a writer and for a reader")
  func permissions() async throws {
    let site = try await Site()
    try await site.addUser("writer", permissions: permissions(of: "writer"))
    try await site.addUser("reader", permissions: permissions(of: "reader"))
    let name = try FeedName(events)
    let writer = try site.open("a", as: "writer")
    try ingest(document(0..<900), into: writer)
    try ingest(document(900..<1_000), into: writer, append: true)
    try writer.renew(name, referenceSeconds: 5)
    let shared = try site.connect(as: "reader")
    let reader = try site.open("b", as: "reader")
    try reader.refresh(name)
    #expect(try records(reader) == records(writer))
    #expect(try shared.check().findings == [])
    #expect(try shared.statistics(reader).feeds == 1)
    let error = #expect(throws: IngestError.self) { try ingest(document(0..<3), into: reader) }
    #expect(error?.store?.code == .permission)
    #expect(try writer.delete(name))
    try reader.refresh(name)
    #expect(try reader.feed(named: name) == nil)
    await site.cluster.close()
  }

  @Test("an ingest waits for the replica of a primary that stops, and completes")
  func failover() async throws {
    // Longer than a client waits for a reply.
    let site = try await Site(arguments: ["--cluster-node-timeout", "5000"])
    let (first, second) = (try site.open("a"), try site.open("b"))
    let cluster = site.cluster
    try ingest(document(0..<10), into: first)
    let slot = RESPKey("fc:{\(events)}:cur").slot.number
    let failover = try await replacePrimary(ofSlot: slot, in: cluster)
    try ingest(document(0..<5_000), into: first)
    try await failover.value
    try second.refresh(FeedName(events))
    #expect(try records(second).count == 5_000)
    await cluster.close()
  }

  @Test("an append waits for the replica of a primary whose blocks it has to copy")
  func failoverOfCopy() async throws {
    let site = try await Site(arguments: ["--cluster-node-timeout", "5000"])
    let (first, second) = (try site.open("a"), try site.open("b"))
    try ingest(document(0..<20_000), into: first)
    // Not the primary of the row, which is read before.
    let row = try await site.cluster.primary(ofSlot: RESPKey("fc:{\(events)}:cur").slot.number)
    var slot: Int?
    for key in try await site.keys("fcb:*") {
      let number = RESPKey(key).slot.number
      if try await site.cluster.primary(ofSlot: number) != row { slot = number }
    }
    let failover = try await replacePrimary(ofSlot: #require(slot), in: site.cluster)
    try ingest(document(20_000..<20_010), into: second, append: true)
    try await failover.value
    #expect(try records(second).count == 20_010)
    await site.cluster.close()
  }

  /// Freezes a primary, and returns the task that thaws it once a replica has replaced it.
  private func replacePrimary(
    ofSlot slot: Int, in cluster: RedisCluster
  ) async throws -> Task<Void, any Error> {
    let old = try await cluster.primary(ofSlot: slot)
    await cluster.freeze(old)
    let other = old == 0 ? 1 : 0
    return Task(executorPreference: OrderedExecutor()) {
      try await cluster.wait("another primary") {
        try await cluster.primary(ofSlot: slot, askedAt: other) != old
      }
      // Replicas confirm a publish, so the old primary has to return as one.
      await cluster.thaw(old)
    }
  }

  @Test("a change that waits begins when a writer of another host has ended")
  func waiting() async throws {
    let site = try await Site()
    let database = try site.open("a")
    let key = "fco:{\(events)}:own"
    var options = IngestOptions()
    options.waits = true
    options.waitTimeout = .seconds(1)
    _ = try await site.command("SET", key, "another")
    #expect {
      try ingest(document(0..<3), into: database, options: options)
    } throws: {
      "\($0)".contains("of this or another host, which has not finished within")
    }
    options.waitTimeout = .seconds(60)
    _ = try await site.command("PEXPIRE", key, "300")
    try ingest(document(0..<3), into: database, options: options)
    _ = try await site.command("SET", key, "another")
    _ = try await site.command("PEXPIRE", key, "300")
    #expect(try database.delete(FeedName(events), waits: true))
    await site.cluster.close()
  }

  @Test("a cancelled push leaves the feed of before, no blocks and no owner")
  func cancelling() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    let before = try await site.keys("fcb:*")
    // The push ends when replicas confirm it.
    let replicas = site.cluster.ports.indices.suffix(3)
    for replica in replicas { await site.cluster.freeze(replica) }
    let file = try TemporaryDirectory(inMemory: true)
    let path = file.path + "/events.json"
    try document(0..<2_000).write(toFile: path, atomically: true, encoding: .utf8)
    var options = IngestOptions()
    options.feed = try FeedName(events)
    options.form = .document
    let (hasPushed, cluster) = (Monitor(false), site.cluster)
    let watch = Task(executorPreference: OrderedExecutor()) {
      try await cluster.wait("a new block") {
        var count = 0
        for primary in 0..<3 {
          count += try await cluster.command(primary, "KEYS", "fcb:*").split(separator: "\n").count
        }
        return count > before.count
      }
      hasPushed.withLock { $0 = true }
    }
    let error = #expect(throws: IngestError.self) {
      try database.ingest(
        [path], options: options, isCancelled: { hasPushed.read { $0 } })
    }
    #expect(error?.store?.code == .cancelled)
    try await watch.value
    for replica in replicas { await site.cluster.thaw(replica) }
    #expect(try await site.keys("fcb:*") == before)
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    #expect(try records(database).count == 10)
    try await site.cluster.waitUntilSound()
    try ingest(document(0..<20), into: database)
    await site.cluster.close()
  }

  @Test("blocks reach the cluster while the ingest reads, and are visible after it")
  func pushWhileReading() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let name = try FeedName(events)
    let push = try await beginPush(into: first, of: site)
    try second.refresh(name)
    #expect(try second.feed(named: name) == nil)
    _ = try push.endDocument()
    try push.finish()
    try second.refresh(name)
    #expect(try records(second) == records(first))
    #expect(try site.connect().check().findings == [])
    await site.cluster.close()
  }

  @Test("an ingest that fails removes the blocks that it has pushed")
  func failedIngest() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    let before = try await site.keys("fcb:*")
    let push = try await beginPush(into: database, of: site)
    #expect(throws: IngestError.self) {
      try push.feed(Array("{]".utf8))
      _ = try push.endDocument()
      try push.finish()
    }
    #expect(try await site.keys("fcb:*") == before)
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    #expect(try records(database).count == 10)
    await site.cluster.close()
  }

  @Test("nodes whose memory is full end an ingest while it reads, and keep none of its blocks")
  func fullMemory() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    let before = try await site.keys("fcb:*")
    let push = try await beginPush(into: database, of: site)
    for node in site.cluster.ports.indices {
      _ = try await site.cluster.command(node, "CONFIG", "SET", "maxmemory", "1")
    }
    let error = await #expect(throws: IngestError.self) {
      try await feedLines(to: push) { false }
    }
    #expect(error?.store?.code == .diskFull)
    #expect(try await site.keys("fcb:*") == before)
    #expect(try records(database).count == 10)
    await site.cluster.close()
  }

  @Test("an outage while an ingest reads does not end it")
  func outageWhileReading() async throws {
    // No replica takes over.
    let site = try await Site(arguments: ["--cluster-node-timeout", "600000"])
    let database = try site.open("a", publishTimeout: .seconds(4))
    let push = try await beginPush(into: database, of: site)
    await site.cluster.freeze(0)
    // Longer than a push waits for a node.
    let end = ContinuousClock.now + .seconds(10)
    try await feedLines(to: push) { ContinuousClock.now >= end }
    await site.cluster.thaw(0)
    try await site.cluster.waitUntilSound()
    _ = try push.endDocument()
    try push.finish()
    let other = try site.open("b")
    try other.refresh(FeedName(events))
    #expect(try records(other) == records(database))
    await site.cluster.close()
  }

  @Test("the lease of a pushed block is extended while the ingest waits for its input")
  func lease() async throws {
    let site = try await Site()
    try await site.addUser("writer", permissions: permissions(of: "writer"))
    let database = try site.open("a", lease: .seconds(30), as: "writer")
    let push = try await beginPush(into: database, of: site)
    let key = try #require(try await site.keys("fcb:*").first)
    let end = try #require(Int(try await site.command("PEXPIRETIME", key)))
    try await site.cluster.wait("another end of the lease") {
      try #require(Int(try await site.command("PEXPIRETIME", key))) > end
    }
    _ = try push.endDocument()
    try push.finish()
    #expect(try await site.command("TTL", key) == "-1")
    await site.cluster.close()
  }

  /// Begins an ingest of lines into the feed of most tests, and feeds it until it has pushed blocks.
  private func beginPush(
    into database: FeedDatabase, of site: Site
  ) async throws -> IngestPush {
    var options = IngestOptions()
    options.feed = try FeedName(events)
    options.form = .document
    let push = database.push(from: "test.ndjson", options: options)
    let count = try await site.keys("fcb:*").count
    try await feedLines(to: push) { try await site.keys("fcb:*").count > count }
    return push
  }

  /// Feeds lines to an ingest until a condition is true.
  private func feedLines(
    to push: IngestPush, until condition: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(60)
    let text = String(repeating: "v", count: 60)
    while try await !condition() {
      try #require(ContinuousClock.now < end)
      let lines = (0..<5_000).map { _ in
        #"{"id":"\#(UInt64.random(in: .min ... .max))","text":"\#(text)"}"# + "\n"
      }
      try push.feed(Array(lines.joined().utf8))
    }
  }

  @Test("a feed of a store whose identifier was lost is replaced by an ingest")
  func lostIdentifier() async throws {
    let site = try await Site()
    try ingest(document(0..<10), into: site.open("a"))
    _ = try await site.command("DEL", "fc:{store}")
    let database = try site.open("c")
    let error = #expect(throws: StoreError.self) { try database.refresh(FeedName(events)) }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains(events) == true)
    // Its blocks cannot be named, so a deletion would leave them.
    let refusal = #expect(throws: StoreError.self) { try database.delete(FeedName(events)) }
    #expect(refusal?.code == .damaged)
    try ingest(document(0..<20), into: database)
    let other = try site.open("d")
    try other.refresh(FeedName(events))
    #expect(try records(other).count == 20)
    await site.cluster.close()
  }

  @Test("a damaged copy is no reason to delete the feed of all hosts")
  func damagedCopy() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let name = try FeedName(events)
    let mark = "a text around the records"
    try ingest(#"{"mark":"\#(mark)","items":[{"id":1}]}"#, into: first, records: "/items")
    try second.refresh(name)
    try damage(mark, in: second)
    #expect(throws: StoreError.self) { try second.feedDescription(named: name) }
    #expect(try second.validate(name) { _ in true } == .valid)
    #expect(try records(second).count == 1)
    #expect(try site.connect().feeds().descriptions.map(\.name) == [name])
    // Without nodes, the copy stays: it may be the only one.
    let third = try site.open("c")
    try third.refresh(name)
    try damage(mark, in: third)
    for node in site.cluster.ports.indices { await site.cluster.kill(node) }
    let error = #expect(throws: StoreError.self) { try third.validate(name) { _ in true } }
    #expect(error?.code == .unreachable)
    #expect(try third.feedNames() == [name])
    await site.cluster.close()
  }
}
