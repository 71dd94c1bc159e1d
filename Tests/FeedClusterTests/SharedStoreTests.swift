import FeedCluster
import FeedCore
import FeedStorage
import FeedStoreContract
import RESPClient
import Synchronization
import TestSupport
import Testing

/// A cluster, and the near stores of some hosts.
private struct Site {
  let cluster: RedisCluster
  private let directory: TemporaryDirectory
  private let seeds: String

  init(arguments: [String] = []) async throws {
    cluster = try await RedisCluster(arguments: arguments)
    directory = try TemporaryDirectory(inMemory: true)
    seeds = cluster.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
  }

  /// Connects to a store of the cluster.
  func connect(
    _ prefix: String = "fc", parameters: String = "", createsMissing: Bool = true
  ) throws -> SharedStore {
    var options = SharedStore.Options()
    options.createsMissing = createsMissing
    options.publishTimeout = .seconds(20)
    return try SharedStore.connect(
      to: ClusterURL("redis-cluster://\(seeds)/\(prefix)\(parameters)"), options)
  }

  /// Opens the near store of a host.
  func open(_ host: String, _ prefix: String = "fc") throws -> FeedDatabase {
    try connect(prefix).openNear(at: "\(directory.path)/\(prefix)-\(host)")
  }

  /// The reply of the primary that has a key.
  func command(_ name: String, _ key: String, _ arguments: String...) async throws -> String {
    let primary = try await cluster.primary(ofSlot: RESPKey(key).slot.number)
    switch arguments.count {
    case 0: return try await cluster.command(primary, name, key)
    case 1: return try await cluster.command(primary, name, key, arguments[0])
    default: return try await cluster.command(primary, name, key, arguments[0], arguments[1])
    }
  }
}

private let events = "events"

private func document(_ range: Range<Int>, value: String = "v") -> String {
  "[" + range.map { #"{"id":\#($0),"text":"\#(value)\#($0)"}"# }.joined(separator: ",") + "]"
}

@discardableResult
private func ingest(
  _ text: String, into database: FeedDatabase, append: Bool = false, records: String? = nil
) throws -> Feed {
  var options = IngestOptions()
  options.records = records
  options.feed = try FeedName(events)
  options.form = .document
  options.appends = append
  let push = database.push(from: "test.json", options: options)
  try push.feed(Array(text.utf8))
  _ = try push.endDocument()
  try push.finish()
  return try database.existingFeed(named: FeedName(events))
}

/// The bytes of all records.
private func records(_ database: FeedDatabase, _ name: String = events) throws -> [[UInt8]] {
  var records: [[UInt8]] = []
  try database.existingFeed(named: FeedName(name)).forEachRecord { record, _ in
    records.append(record.bytes.withUnsafeBytes { Array($0) })
  }
  return records
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
    #expect(try site.connect().feeds().isEmpty)
    await site.cluster.close()
  }

  @Test(
    "a feed without records reaches another host with the text around them",
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

  @Test("a look at a store that does not exist makes none")
  func missing() async throws {
    let site = try await Site()
    let error = #expect(throws: StoreError.self) {
      try site.connect("other", createsMissing: false)
    }
    #expect(error?.code == .notFound)
    #expect(try await site.command("EXISTS", "other:{store}") == "0")
    await site.cluster.close()
  }

  @Test("the feeds of models keep the contract of a store")
  func contract() async throws {
    let site = try await Site()
    let universities = ["A", "B"].map {
      University(name: $0, country: "C", alphaTwoCode: "CC", domains: [])
    }
    let count = Mutex(0)
    let specs = FeedStoreSpecs(
      feed: universities,
      makeStore: {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return LMDBFeedStore<University>(
          try site.open("a", "p\(number)"), feed: try FeedName("feed"))
      },
      // Another host. The near store has the name of the prefix.
      reopen: { store in
        let near = store.database.directory.split(separator: "/").last ?? ""
        return LMDBFeedStore<University>(
          try site.open("b", String(near.dropLast(2))), feed: store.name)
      })
    for rule in specs.rules { try await rule.verify() }
    await site.cluster.close()
  }

  @Test("a renewal reaches another host without its blocks")
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

  @Test("a damaged row is replaced by another ingest")
  func damagedRow() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    _ = try await site.command("SET", "fc:{\(events)}:cur", "this is no row of a feed")
    #expect(try database.refresh(FeedName(events))?.code == .damaged)
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

  @Test("a follower copies what another host publishes")
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
