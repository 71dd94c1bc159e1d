import FeedCluster
import FeedCore
import FeedStorage
import TestSupport
import Testing

@Suite("Random changes in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedModelTests {
  private static let names = ["x", "y", "z"]

  @Test(
    "leave three hosts with the records of a store in a directory", arguments: [1, 9] as [UInt64])
  func changes(seed: UInt64) async throws {
    let site = try await Site()
    var random = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory(inMemory: true)
    let model = try FeedDatabase.open(at: directory.path)
    var hosts = try ["a", "b", "c"].map { try site.open($0) }
    for step in 0..<80 {
      let name = Self.names[Int.random(in: 0..<3, using: &random)]
      let host = Int.random(in: 0..<3, using: &random)
      let start = Int.random(in: 0..<300, using: &random)
      let text = document(start..<start + Int.random(in: 0..<200, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2:
        for database in [model, hosts[host]] { try ingest(text, as: name, into: database) }
      case 3...4:
        for database in [model, hosts[host]] {
          try ingest(text, as: name, into: database, append: true)
        }
      case 5:
        let wasThere = try model.delete(FeedName(name))
        try hosts[host].refresh(FeedName(name))
        #expect(try hosts[host].delete(FeedName(name)) == wasThere, "step \(step)")
      case 6:
        for database in [model, hosts[host]] {
          try database.renew(FeedName(name), referenceSeconds: Double(step))
        }
      default: hosts[host] = try site.open(["a", "b", "c"][host])
      }
      let reader = hosts[Int.random(in: 0..<3, using: &random)]
      try compare(reader, with: model, name, "step \(step)")
    }
    for host in hosts {
      for name in Self.names { try compare(host, with: model, name, "the end") }
      #expect(try FeedDatabase.check(at: host.directory).findings == [])
    }
    #expect(try site.connect().check().findings == [])
    await site.cluster.close()
  }

  private func compare(
    _ host: FeedDatabase, with model: FeedDatabase, _ name: String, _ moment: Comment
  ) throws {
    let feed = try FeedName(name)
    try host.refresh(feed)
    guard try model.feed(named: feed) != nil else {
      #expect(try host.feed(named: feed) == nil, moment)
      return
    }
    #expect(try records(host, name) == records(model, name), moment)
  }
}
