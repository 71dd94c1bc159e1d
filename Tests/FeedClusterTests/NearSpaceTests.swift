import FeedCluster
import FeedStorage
import TestSupport
import Testing

@Suite(
  "A near store with a limit", .enabled(if: RedisCluster.isAvailable), .serialized,
  .timeLimit(.minutes(2)))
struct NearSpaceTests {
  /// Publishes feeds of the same size, and returns the bytes of one feed.
  private func publish(_ names: [String], _ site: Site) throws -> Int {
    let host = try site.open("writer")
    let sizes = try names.map { name in
      try ingest(document(0..<1_000), as: name, into: host).description.storedBytes
    }
    return try #require(sizes.max())
  }

  private func names(_ database: FeedDatabase) throws -> [String] {
    try database.feeds().map(\.name.text)
  }

  @Test("the least recently requested feed is evicted, and the next request copies it again")
  func leastRecentlyRequested() async throws {
    let site = try await Site()
    let size = try publish(["a", "b", "c"], site)
    let (shared, near) = try site.open("reader", nearCap: 2 * size + size / 2)
    for (name, seconds) in [("a", 2_000), ("b", 1_000)] {
      try near.refresh(FeedName(name))
      try near.noteRequest(of: FeedName(name), at: seconds)
    }
    try near.refresh(FeedName("c"))
    #expect(try names(near) == ["a", "c"])
    try near.refresh(FeedName("b"))
    #expect(try names(near) == ["b", "c"])
    #expect(try records(near, "b").count == 1_000)
    #expect(try shared.statistics(near).nearBytes <= 2 * size + size / 2)
    await site.cluster.close()
  }

  @Test("reading a feed counts as a request, even through the directory of the near store")
  func reading() async throws {
    let site = try await Site()
    let size = try publish(["a", "b", "c"], site)
    let (_, near) = try site.open("reader", nearCap: 2 * size + size / 2)
    let plain = try FeedDatabase.open(at: near.directory)
    for (name, seconds) in [("a", 1_000), ("b", 2_000)] {
      try near.refresh(FeedName(name))
      try near.noteRequest(of: FeedName(name), at: seconds)
    }
    #expect(try records(plain, "a").count == 1_000)
    try near.refresh(FeedName("c"))
    #expect(try names(near) == ["a", "c"])
    await site.cluster.close()
  }

  @Test("a feed larger than the limit is refused, and the others stay")
  func tooLarge() async throws {
    let site = try await Site()
    let size = try publish(["a"], site)
    let large = try ingest(document(0..<10_000), as: "b", into: site.open("writer"))
    let (_, near) = try site.open("reader", nearCap: 2 * size)
    try near.refresh(FeedName("a"))
    let error = #expect(throws: StoreError.self) { try near.refresh(FeedName("b")) }
    #expect(error?.code == .diskFull)
    #expect(error?.message.contains("\(large.description.storedBytes) bytes") == true)
    #expect(try names(near) == ["a"])
    await site.cluster.close()
  }

  @Test("a feed that the cluster has lost is not evicted, and a new copy is refused as busy")
  func lost() async throws {
    let site = try await Site()
    let size = try publish(["a", "b", "c"], site)
    let (_, near) = try site.open("reader", nearCap: 2 * size + size / 2)
    for (name, seconds) in [("a", 2_000), ("b", 1_000)] {
      try near.refresh(FeedName(name))
      try near.noteRequest(of: FeedName(name), at: seconds)
    }
    for key in ["fc:{a}:cur", "fc:{b}:cur"] { _ = try await site.command("DEL", key) }
    let error = #expect(throws: StoreError.self) { try near.refresh(FeedName("c")) }
    #expect(error?.code == .busy)
    #expect(try names(near) == ["a", "b"])
    await site.cluster.close()
  }

  @Test("a damaged row of one feed does not prevent copies of the others")
  func damagedRow() async throws {
    let site = try await Site()
    let size = try publish(["a", "b", "c"], site)
    let (_, near) = try site.open("reader", nearCap: 2 * size + size / 2)
    for (name, seconds) in [("a", 1_000), ("b", 2_000)] {
      try near.refresh(FeedName(name))
      try near.noteRequest(of: FeedName(name), at: seconds)
    }
    _ = try await site.command("SET", "fc:{a}:cur", "nothing")
    try near.refresh(FeedName("c"))
    #expect(try names(near) == ["a", "c"])
    await site.cluster.close()
  }

  @Test("an ingest counts towards the limit, and evicts copies of other feeds")
  func ingesting() async throws {
    let site = try await Site()
    let size = try publish(["a", "b"], site)
    let (_, near) = try site.open("reader", nearCap: 2 * size + size / 2)
    for name in ["a", "b"] { try near.refresh(FeedName(name)) }
    try near.noteRequest(of: FeedName("b"), at: 1_000)
    try ingest(document(0..<1_000), as: "c", into: near)
    #expect(try names(near) == ["a", "c"])
    await site.cluster.close()
  }

  @Test("a later generation that does not fit keeps the old copy, and reports an error")
  func outgrown() async throws {
    let site = try await Site()
    let size = try publish(["a"], site)
    let (shared, near) = try site.open("reader", nearCap: 2 * size)
    try near.refresh(FeedName("a"))
    try ingest(document(0..<10_000), as: "a", into: site.open("writer"))
    let error = try near.refresh(FeedName("a"))
    #expect(error?.code == .diskFull)
    #expect(try records(near, "a").count == 1_000)
    // A check of the cluster has no limit.
    #expect(try shared.check().isSound)
    await site.cluster.close()
  }

  @Test("a feed evicted while it is read is copied again, and both readers see all records")
  func readMeanwhile() async throws {
    let site = try await Site()
    let size = try publish(["a", "b"], site)
    let (_, near) = try site.open("reader", nearCap: size + size / 2)
    try near.refresh(FeedName("a"))
    let reader = try near.existingFeed(named: FeedName("a"))
    for name in ["b", "a", "b", "a"] {
      try near.refresh(FeedName(name))
      #expect(try names(near) == [name])
      #expect(try records(near, name).count == 1_000)
    }
    var count = 0
    try reader.forEachRecord { _, _ in count += 1 }
    #expect(count == 1_000)
    #expect(try FeedDatabase.check(at: near.directory).isSound)
    await site.cluster.close()
  }

  @Test("a feed is evicted a day after its last request, but not if no time is known")
  func idle() async throws {
    let site = try await Site()
    let size = try publish(["a", "b", "c"], site)
    let (shared, near) = try site.open("reader", nearCap: 10 * size)
    try near.noteRequest(of: FeedName("x"))
    let before = try #require(try near.lastRequest(of: FeedName("x")))
    for (name, seconds) in [("a", before - 90_000), ("b", before - 80_000), ("c", 0)] {
      try near.refresh(FeedName(name))
      try near.noteRequest(of: FeedName(name), at: seconds)
    }
    try await shared.removeIdleFeeds(from: near)
    #expect(try names(near) == ["b", "c"])
    #expect(try near.lastRequest(of: FeedName("c")) ?? 0 >= before)
    await site.cluster.close()
  }

  @Test("a follower copies only requested feeds, and knows which others exist")
  func following() async throws {
    let site = try await Site()
    let size = try publish(["a", "b"], site)
    let (shared, near) = try site.open("reader", nearCap: 10 * size)
    try near.refresh(FeedName("a"))
    let (copied, copies) = AsyncStream.makeStream(of: FeedName.self)
    let follower = ClusterFollower(shared, near) { event in
      if let name = event.feed, case .success(.changed) = event.outcome { copies.yield(name) }
    }
    let following = Task { await follower.run() }
    let host = try site.open("writer")
    for name in ["b", "a"] { try ingest(document(0..<20), as: name, into: host) }
    var iterator = copied.makeAsyncIterator()
    #expect(await iterator.next() == (try FeedName("a")))
    #expect(try names(near) == ["a"])
    // The follower reads all rows before it reports a copy.
    #expect(try near.mayCopy(FeedName("b")))
    #expect(try !near.mayCopy(FeedName("nothing")))
    try near.refresh(FeedName("b"))
    #expect(try records(near, "b").count == 20)
    following.cancel()
    await following.value
    await site.cluster.close()
  }
}
