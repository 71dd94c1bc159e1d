import FeedCluster
import FeedCore
import FeedStorage
import FeedStoreContract
import RESPClient
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The text around the records.
private func frame(of feed: Feed) throws -> [UInt8] {
  var text: [UInt8] = []
  for isAfterRecords in [false, true] {
    try FeedFrame(feed.description, .source).forEachPart(of: feed, isAfterRecords: isAfterRecords) {
      part in part.withUnsafeBytes { text.append(contentsOf: $0) }
    }
  }
  return text
}

@Suite("A store in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedStoreTests {
  @Test("a feed that one host publishes is read by another, also after appends and a deletion")
  func publishing() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let name = try FeedName(events)
    try ingest(document(0..<5_000), into: first)
    #expect(try second.feed(named: name) == nil)
    try second.refresh(name)
    #expect(try records(second) == records(first))
    try ingest(document(5_000..<9_000), into: second, append: true)
    try first.refresh(name)
    #expect(try records(second) == records(first))
    #expect(try first.feedDescription(named: name)?.recordCount == 9_000)
    #expect(try first.delete(name))
    try second.refresh(name)
    #expect(try second.feed(named: name) == nil)
    #expect(try site.connect().feeds().descriptions.isEmpty)
    await site.cluster.close()
  }

  @Test(
    "a feed without records reaches another host with its envelope",
    arguments: ["[]", #"{"pad":"\#(String(repeating: "x", count: 200_000))","items":[]}"#])
  func noRecords(text: String) async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let feed = try ingest(text, into: first, records: text == "[]" ? nil : "/items")
    let name = try FeedName(events)
    try second.refresh(name)
    let copied = try second.existingFeed(named: name)
    #expect(copied.description.recordCount == 0)
    #expect(copied.description.envelopeChunks == feed.description.envelopeChunks)
    #expect(try FeedDatabase.check(at: second.directory).findings.isEmpty)
    await site.cluster.close()
  }

  @Test("a connection that may not create a missing store fails, and creates none")
  func missing() async throws {
    let site = try await Site()
    let error = #expect(throws: StoreError.self) {
      try site.connect("other", createsMissing: false)
    }
    #expect(error?.code == .notFound)
    #expect(try await site.command("EXISTS", "other:{store}") == "0")
    await site.cluster.close()
  }

  @Test("feed stores of the five models satisfy the store contract")
  func contract() async throws {
    let site = try await Site()
    let date = Date(timeIntervalSinceReferenceDate: 694_224_000.123_456_7)
    let url = try #require(URL(string: "https://example.com/1.png?a=é#b"))
    try await verify(
      ["A", "B"].map { University(name: $0, country: "C", alphaTwoCode: "CC", domains: []) },
      "u", site)
    try await verify([FeedImage(id: UUID(), location: "Αθήνα", url: url)], "i", site)
    try await verify(
      [ImageComment(id: UUID(), message: "", createdAt: date, username: "name")], "c", site)
    try await verify(
      [
        Article(
          source: Source(id: nil, name: "source"), author: nil, title: "title", description: nil,
          url: url, urlToImage: nil, publishedAt: date, content: "content")
      ], "a", site)
    try await verify(
      [SeriesCharacter(name: "Rick", status: "Alive", species: "Human", image: url)], "s", site)
    await site.cluster.close()
  }

  private func verify<Item: EncodablePayloadModel & Equatable>(
    _ feed: [Item], _ prefix: String, _ site: Site
  ) async throws {
    let count = Mutex(0)
    let specs = FeedStoreSpecs(
      feed: feed,
      makeStore: {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return LMDBFeedStore<Item>(
          try site.open("a", "\(prefix)\(number)"), feed: try FeedName("feed"))
      },
      // Another host. The prefix is part of the directory name of the near store.
      reopen: { store in
        let near = store.database.directory.split(separator: "/").last ?? ""
        return LMDBFeedStore<Item>(
          try site.open("b", String(near.dropLast(2))), feed: store.name)
      })
    for rule in specs.rules { try await rule.verify() }
  }

  @Test("a feed copied to the cluster and back keeps its records, schema and envelope text")
  func copies() async throws {
    let site = try await Site()
    let local = try TemporaryDirectory(inMemory: true)
    let back = try TemporaryDirectory(inMemory: true)
    let source = try FeedDatabase.open(at: local.path)
    let pad = String(repeating: "x", count: 200_000)
    let text = #"{"pad":"\#(pad)","items":\#(document(0..<900))}"#
    let feed = try ingest(text, into: source, records: "/items")
    try site.open("a").copy(feed)
    let other = try site.open("b")
    try other.refresh(FeedName(events))
    let target = try FeedDatabase.open(at: back.path)
    try target.copy(other.existingFeed(named: FeedName(events)))
    let copy = try target.existingFeed(named: FeedName(events))
    #expect(try records(target) == records(source))
    #expect(copy.description.schemaText == feed.description.schemaText)
    #expect(try frame(of: copy) == frame(of: feed))
    #expect(try FeedDatabase.check(at: back.path).findings == [])
    await site.cluster.close()
  }

  @Test("a check of the cluster verifies each feed, and names the damaged ones")
  func check() async throws {
    let site = try await Site()
    let database = try site.open("a")
    let generation = try ingest(document(0..<3_000), into: database).description.generation
    let store = try site.connect()
    let sound = try store.check()
    #expect(sound.findings == [])
    #expect(sound.feeds == 1 && sound.records == 3_000 && sound.blocks > 2)
    let key = "fcb:\(String(generation, radix: 16)):1"
    #expect(try await site.command("EXISTS", key) == "1")
    _ = try await site.command("UNLINK", key)
    let report = try store.check()
    #expect(report.findings.count == 1)
    #expect(report.findings[0].contains(events) && report.findings[0].contains("missing"))
    _ = try await site.command("SET", "fc:{\(events)}:cur", "this is no row of a feed")
    let row = try store.check()
    #expect(row.findings.count == 1 && row.findings[0].contains("the row of the feed \(events)"))
    await site.cluster.close()
  }

  @Test("statistics name the nodes, and the feeds that a near store lacks")
  func statistics() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    try ingest(document(0..<10), into: first)
    let store = try site.connect()
    let current = try store.statistics(first)
    #expect(current.feeds == 1 && current.behind == 0 && current.wait == 1)
    #expect(current.nodes.count(where: { $0.description.isPrimary }) == 3)
    #expect(current.nodes.count == 6)
    #expect(current.nodes.allSatisfy { ($0.memory?.used ?? 0) > 0 })
    #expect(try store.statistics(second).behind == 1)
    try second.refresh(FeedName(events))
    #expect(try store.statistics(second).behind == 0)
    await site.cluster.close()
  }

  @Test("a renewal reaches another host without a new generation")
  func renewal() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let name = try FeedName(events)
    let generation = try ingest(document(0..<100), into: first).description.generation
    try second.refresh(name)
    try first.renew(name, referenceSeconds: 5)
    try second.refresh(name)
    let feed = try #require(try second.feedDescription(named: name))
    #expect(feed.referenceSeconds == 5 && feed.generation == generation)
    await site.cluster.close()
  }

  @Test("a feed that another process changes is busy")
  func owners() async throws {
    let site = try await Site()
    let database = try site.open("a")
    let key = "fco:{\(events)}:own"
    _ = try await site.command("SET", key, "another")
    #expect {
      try ingest(document(0..<3), into: database)
    } throws: {
      "\($0)".contains("is being changed by a process of this or another host")
    }
    _ = try await site.command("DEL", key)
    try ingest(document(0..<3), into: database)
    await site.cluster.close()
  }

  @Test(
    "a damaged block is refused with the name of its feed, and another ingest repairs it",
    arguments: ["0", "i:0:0", "s:0"])
  func damage(part: String) async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let name = try FeedName(events)
    let generation = try ingest(document(0..<5_000), into: first).description.generation
    let key = "fcb:\(String(generation, radix: 16)):\(part)"
    let byte = try await site.command("GETRANGE", key, "40", "40")
    _ = try await site.command("SETRANGE", key, "40", byte == "x" ? "y" : "x")
    let error = #expect(throws: StoreError.self) { try second.refresh(name) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(events) == true)
    #expect(try second.feed(named: name) == nil)
    try ingest(document(0..<5_000), into: first)
    try second.refresh(name)
    #expect(try records(second) == records(first))
    await site.cluster.close()
  }

  @Test("a flipped bit in any of 1,000 places of a row, block or schema is noticed")
  func flippedBits() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    var options = IngestOptions()
    options.indexedFields = ["text"]
    try ingest(document(0..<2_000), into: first, options: options)
    let client = try await site.client()
    let keys = try await site.keys("fcb:*") + ["fc:{\(events)}:cur"]
    #expect(keys.count > 5)
    var generator = SeededGenerator(seed: 7)
    let name = try FeedName(events)
    for number in 0..<1_000 {
      let key = RESPKey(keys[number % keys.count])
      let value = try await client.send(RESPCommand("GET", key, access: .readPrimary))
      let bytes = value.withBytes { $0.withUnsafeBytes { Array($0) } } ?? []
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let flipped = bytes[place] ^ (1 << UInt8.random(in: 0..<8, using: &generator))
      _ = try await client.send(
        RESPCommand("SETRANGE", key, .integer(place), .bytes([flipped])))
      #expect(throws: StoreError.self, "byte \(place) of \(key)") { try second.refresh(name) }
      _ = try await client.send(
        RESPCommand("SETRANGE", key, .integer(place), .bytes([bytes[place]])))
    }
    #expect(try second.feed(named: name) == nil)
    try second.refresh(name)
    #expect(try records(second) == records(first))
    await client.close()
    await site.cluster.close()
  }

  @Test("a damaged row is replaced by another ingest")
  func damagedRow() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    try ingest(document(0..<10), as: "other", into: database)
    _ = try await site.command("SET", "fc:{\(events)}:cur", "this is no row of a feed")
    #expect(try database.refresh(FeedName(events))?.code == .damaged)
    let shared = try site.connect()
    let feeds = try shared.feeds()
    #expect(feeds.descriptions.map(\.name.text) == ["other"])
    #expect(feeds.failures.map(\.code) == [.damaged])
    let statistics = try shared.statistics(database)
    #expect(statistics.feeds == 1 && statistics.failures.map(\.code) == [.damaged])
    #expect(try records(database).count == 10)
    try ingest(document(0..<20), into: database)
    try database.refresh(FeedName(events))
    #expect(try records(database).count == 20)
    await site.cluster.close()
  }

  @Test("a near store keeps its copy when the cluster has lost the feed")
  func lost() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    _ = try await site.command("DEL", "fc:{\(events)}:cur")
    try database.refresh(FeedName(events))
    #expect(try records(database).count == 10)
    await site.cluster.close()
  }

  @Test("a cluster that has lost its data gets the store back from a near store")
  func flushed() async throws {
    let site = try await Site()
    let near = site.near("a")
    let name = try FeedName(events)
    let (first, second) = (try near.open(), try site.open("b"))
    try ingest(document(0..<100), into: first)
    try second.refresh(name)
    let generation = try first.existingFeed(named: name).description.generation
    try await site.flush()
    #expect(try await site.command("EXISTS", "fc:{store}") == "0")
    // Both stores stay valid, and generation numbers do not decrease.
    let again = try near.open()
    #expect(again.identifier == first.identifier)
    #expect(try records(again).count == 100)
    let feed = try ingest(document(0..<200), into: again)
    #expect(feed.description.generation > generation)
    let host = try site.open("b")
    try host.refresh(name)
    #expect(try records(host).count == 200)
    await site.cluster.close()
  }

  @Test("a host opens its near store while no node replies, and changes feeds again afterwards")
  func away() async throws {
    let site = try await Site()
    let near = site.near("a")
    try ingest(document(0..<10), into: near.open())
    let nodes = site.cluster.ports.indices
    for node in nodes { await site.cluster.kill(node) }
    let database = try near.open()
    #expect(try database.refresh(FeedName(events))?.code == .unreachable)
    #expect(try records(database).count == 10)
    let error = #expect(throws: IngestError.self) { try ingest(document(0..<3), into: database) }
    #expect(error?.store?.code == .unreachable)
    #expect(throws: StoreError.self) { try site.open("b") }
    for node in nodes { try await site.cluster.restart(node) }
    try await site.cluster.waitUntilSound()
    // The nodes have kept nothing, and get the store from the near store.
    try await site.cluster.wait("the replicas to be listed") {
      try ingest(document(0..<20), into: database)
      return true
    }
    let other = try site.open("b")
    try other.refresh(FeedName(events))
    #expect(try records(other).count == 20)
    await site.cluster.close()
  }

  @Test("a near store of another shared store is refused, and its identifier is not reused")
  func anotherOrigin() async throws {
    let site = try await Site()
    let near = site.near("a")
    let identifier = try near.open().identifier
    let error = #expect(throws: StoreError.self) { try near.open("other") }
    #expect(error?.code == .incompatible)
    #expect(try site.connect("other").identifier != identifier)
    await site.cluster.close()
  }

  @Test("a follower copies the feeds that another host publishes")
  func following() async throws {
    let site = try await Site()
    let (first, second) = (try site.open("a"), try site.open("b"))
    let (copied, copies) = AsyncStream.makeStream(of: Int.self)
    let follower = ClusterFollower(try site.connect(), second) { event in
      if case .success(.changed) = event.outcome { copies.yield(1) }
    }
    let following = Task { await follower.run() }
    var iterator = copied.makeAsyncIterator()
    for count in [10, 20, 30] {
      try ingest(document(0..<count), into: first)
      _ = await iterator.next()
      #expect(try records(second).count == count)
    }
    following.cancel()
    await following.value
    await site.cluster.close()
  }

  @Test("nodes that may evict published blocks are refused")
  func eviction() async throws {
    let site = try await Site(arguments: ["--maxmemory-policy", "allkeys-lru"])
    let error = #expect(throws: StoreError.self) { try site.connect() }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("allkeys-lru") == true)
    _ = try site.connect(parameters: "?eviction=unsafe")
    await site.cluster.close()
  }
}
