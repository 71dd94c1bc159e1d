import FeedCluster
import FeedCore
import FeedStorage
import RESPClient
import TestSupport
import Testing

/// Near stores of one cluster, as those of several hosts.
struct NearStores {
  let directory: TemporaryDirectory
  let url: ClusterURL

  init(_ cluster: RedisCluster, parameters: String = "") throws {
    directory = try TemporaryDirectory(inMemory: true)
    let seeds = cluster.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    url = try ClusterURL("redis-cluster://\(seeds)/test\(parameters)")
  }

  /// Opens the near store of a host.
  func open(_ host: String) throws -> FeedDatabase {
    var options = SharedStore.Options()
    options.publishTimeout = .seconds(20)
    return try SharedStore.connect(to: url, options).openNear(at: directory.path + "/" + host)
  }
}

@Suite("A store in a cluster", .enabled(if: RedisCluster.isAvailable))
struct SharedStoreTests {
  private static func document(_ range: Range<Int>, value: String = "v") -> String {
    "[" + range.map { #"{"id":\#($0),"text":"\#(value)\#($0)"}"# }.joined(separator: ",") + "]"
  }

  @discardableResult
  private func ingest(
    _ text: String, into database: FeedDatabase, append: Bool = false
  ) throws -> Feed {
    var options = IngestOptions()
    options.feed = try FeedName("events")
    options.form = .document
    options.appends = append
    let push = database.push(from: "test.json", options: options)
    try push.feed(Array(text.utf8))
    _ = try push.endDocument()
    try push.finish()
    return try database.existingFeed(named: FeedName("events"))
  }

  /// The bytes of all records.
  static func texts(_ name: FeedName, _ database: FeedDatabase) throws -> [[UInt8]] {
    var texts: [[UInt8]] = []
    try database.existingFeed(named: name).forEachRecord { record, _ in
      texts.append(record.bytes.withUnsafeBytes { Array($0) })
    }
    return texts
  }

  @Test("a feed that one host publishes is read by another")
  func publishing() async throws {
    let cluster = try await RedisCluster()
    let stores = try NearStores(cluster)
    let (first, second) = (try stores.open("a"), try stores.open("b"))
    let name = try FeedName("events")
    try ingest(Self.document(0..<5_000), into: first)
    #expect(try second.feed(named: name) == nil)
    try second.refresh(name)
    #expect(try Self.texts(name, second) == Self.texts(name, first))
    try ingest(Self.document(5_000..<9_000), into: second, append: true)
    try first.refresh(name)
    #expect(try first.feedDescription(named: name)?.recordCount == 9_000)
    #expect(try Self.texts(name, second) == Self.texts(name, first))
    try #expect(first.delete(name))
    try second.refresh(name)
    #expect(try second.feed(named: name) == nil)
    await cluster.close()
  }
}
