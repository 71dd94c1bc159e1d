import FeedCluster
import FeedStorage
import TestSupport
import Testing

@Suite("A repair of a store in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedRepairTests {
  private let row = "fc:{\(events)}:cur"

  @Test("publishes the copy of a host again if a block is missing or damaged, and no sound feed")
  func blocks() async throws {
    let site = try await Site()
    let (name, near) = (try FeedName(events), try site.open("a"))
    var options = IngestOptions()
    options.key = ["id"]
    options.indexedFields = ["text"]
    try ingest(document(0..<8_000), into: near, options: options)
    let repair = try site.repair(near)
    #expect(try repair.names() == [name])
    let lasting = try await site.lastingBlocks().count
    let faults = [("", ["DEL"]), ("i", ["SETRANGE", "20", "damage"]), ("s", ["APPEND", "more"])]
    for (part, fault) in faults {
      let before = try near.existingFeed(named: name).description
      #expect(try repair.repair(name) == .sound)
      let key = try #require(try await site.lastingBlocks(part).randomElement())
      _ = try await site.command(fault[0], key, Array(fault.dropFirst()))
      #expect(try !site.connect().check().isSound)
      let outcome = try repair.repair(name)
      let after = try near.existingFeed(named: name).description
      #expect(outcome == .republished(generation: after.generation, records: 8_000))
      #expect(after.generation > before.generation && after.kind == before.kind)
      #expect(after.schemaText == before.schemaText && after.envelope == before.envelope)
      #expect(after.referenceSeconds == before.referenceSeconds && after.origin == before.origin)
      #expect(after.keyField == before.keyField && after.indexedFields == before.indexedFields)
      #expect(try site.connect().check().findings == [])
      #expect(try await site.lastingBlocks().count == lasting)
    }
    let other = try site.open("b")
    try other.refresh(name)
    #expect(try records(other) == records(near))
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    await site.cluster.close()
  }

  @Test("restores a feed whose row is lost, on demand, and leaves no block without an owner")
  func lostRow() async throws {
    let site = try await Site()
    let (name, near) = (try FeedName(events), try site.near("a").open())
    let feed = try ingest(document(0..<10), into: near)
    let lasting = try await site.lastingBlocks().count
    func requireRepair() async throws {
      let store = try site.near("a").connect(createsMissing: false, restoresLost: true)
      let repair = try StoreRepair(store, from: near) { false }
      // Another host may have later records.
      let refusal = #expect(throws: StoreError.self) { try repair.repair(name) }
      #expect(refusal?.code == .damaged)
      let outcome = try repair.repair(name, restoresLost: true)
      let generation = try near.existingFeed(named: name).description.generation
      #expect(outcome == .republished(generation: generation, records: 10))
      #expect(try site.repair(near).repair(name) == .sound)
      #expect(try await site.lastingBlocks().count == lasting)
    }
    _ = try await site.command("DEL", row)
    try await requireRepair()
    try await site.flush()
    try await requireRepair()
    #expect(try near.existingFeed(named: name).description.generation > feed.description.generation)
    let other = try site.open("b")
    try other.refresh(name)
    #expect(try records(other) == records(near))
    await site.cluster.close()
  }

  @Test("replaces a damaged row if the copy has its state, and otherwise on demand")
  func damagedRow() async throws {
    let site = try await Site()
    let (name, first, second) = (try FeedName(events), try site.open("a"), try site.open("b"))
    try ingest(document(0..<10), into: first)
    try second.refresh(name)
    try ingest(document(0..<20), into: first)
    let lasting = try await site.lastingBlocks().count
    _ = try await site.command("SETRANGE", row, "40", "damage")
    let refusal = #expect(throws: StoreError.self) {
      try site.repair(second).repair(name, restoresLost: true)
    }
    #expect(refusal?.code == .damaged)
    #expect(refusal?.message.contains("no copy of its present records") == true)
    let outcome = try site.repair(first).repair(name)
    let generation = try first.existingFeed(named: name).description.generation
    #expect(outcome == .republished(generation: generation, records: 20))
    #expect(try await site.lastingBlocks().count == lasting)
    try second.refresh(name)
    #expect(try records(second) == records(first))
    await site.cluster.close()
  }

  @Test("an append or a renewal does not build on records that the cluster has lost")
  func appendAfterLoss() async throws {
    let site = try await Site()
    let (name, near) = (try FeedName(events), try site.open("a"))
    try ingest(document(0..<10), into: near)
    let lasting = try await site.lastingBlocks().count
    _ = try await site.command("DEL", row)
    let append = #expect(throws: (any Error).self) {
      try ingest(document(10..<20), into: near, append: true)
    }
    #expect(append.map { "\($0)".contains("store repair events") } == true)
    let renewal = #expect(throws: StoreError.self) { try near.renew(name, referenceSeconds: 1) }
    #expect(renewal?.code == .damaged)
    #expect(try await site.keys(row) == [])
    try ingest(document(0..<20), into: near)
    // The blocks of the lost row expire.
    #expect(try await site.lastingBlocks().count == lasting)
    try ingest(document(20..<30), into: near, append: true)
    #expect(try near.renew(name, referenceSeconds: 1) != nil)
    let other = try site.open("b")
    try other.refresh(name)
    #expect(try records(other).count == 30)
    await site.cluster.close()
  }

  @Test("adds a name again that the cluster has lost")
  func lostNames() async throws {
    let site = try await Site()
    let (name, near) = (try FeedName(events), try site.open("a"))
    try ingest(document(0..<10), into: near)
    _ = try await site.command("DEL", "fco:{store}:names")
    #expect(try site.connect().feeds().descriptions.isEmpty)
    let repair = try site.repair(near)
    #expect(try repair.names() == [name])
    #expect(try repair.repair(name) == .registered)
    #expect(try site.connect().feeds().descriptions.map(\.name) == [name])
    await site.cluster.close()
  }

  @Test("brings a copy up to date first, if the cluster has the blocks that it lacks")
  func olderCopy() async throws {
    let site = try await Site()
    let (name, first) = (try FeedName(events), try site.open("a"))
    let second = try site.open("b")
    // An append copies a small feed, and would replace its blocks.
    try ingest(document(0..<30_000, value: String(repeating: "v", count: 300)), into: first)
    try second.refresh(name)
    let blocks = try await site.lastingBlocks("")
    try ingest(document(30_000..<40_000), into: first, append: true)
    for key in blocks { _ = try await site.command("DEL", key) }
    let outcome = try site.repair(second).repair(name)
    let generation = try second.existingFeed(named: name).description.generation
    #expect(outcome == .republished(generation: generation, records: 40_000))
    try first.refresh(name)
    #expect(try records(second) == records(first))
    await site.cluster.close()
  }

  @Test("needs a sound copy of the present records, and leaves deleted feeds deleted")
  func refusals() async throws {
    let site = try await Site()
    let (name, first, second) = (try FeedName(events), try site.open("a"), try site.open("b"))
    func refusal(from near: FeedDatabase) -> StoreError.Code? {
      #expect(throws: StoreError.self) {
        try site.repair(near).repair(name, restoresLost: true)
      }?.code
    }
    #expect(refusal(from: first) == .notFound)
    try ingest(document(0..<10, value: "letters"), into: first)
    for key in try await site.lastingBlocks("") { _ = try await site.command("DEL", key) }
    // Another host has no copy.
    #expect(refusal(from: second) == .damaged)
    try damage("letters5", in: first)
    #expect(refusal(from: first) == .damaged)
    try ingest(document(0..<10), into: second)
    #expect(try second.delete(name))
    #expect(try site.repair(first).repair(name, restoresLost: true) == .deleted)
    try second.refresh(name)
    #expect(try second.feed(named: name) == nil)
    await site.cluster.close()
  }

  @Test("does not replace a feed that another host publishes or deletes meanwhile")
  func races() async throws {
    let site = try await Site()
    let (name, near, other) = (try FeedName(events), try site.open("a"), try site.open("b"))
    try ingest(document(0..<10), into: near)
    let state = try near.sharedRow(of: name)?.state
    func refusal(of state: SharedState?) -> StoreError.Code? {
      #expect(throws: StoreError.self) { try near.republish(name, replacing: state) { false } }?
        .code
    }
    try ingest(document(0..<20), into: other)
    #expect(refusal(of: state) == .conflict)
    // The copy is older than the state that it would replace.
    #expect(refusal(of: try other.sharedRow(of: name)?.state) == .conflict)
    #expect(try other.delete(name))
    #expect(refusal(of: state) == .conflict)
    #expect(refusal(of: nil) == .conflict)
    #expect(try site.connect().feeds().descriptions.isEmpty)
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    await site.cluster.close()
  }

  @Test("can be cancelled")
  func cancellation() async throws {
    let site = try await Site()
    let (name, near) = (try FeedName(events), try site.open("a"))
    try ingest(document(0..<10), into: near)
    let generation = try near.existingFeed(named: name).description.generation
    for key in try await site.lastingBlocks("") { _ = try await site.command("DEL", key) }
    let repair = try StoreRepair(site.connect(), from: near) { true }
    let error = #expect(throws: StoreError.self) { try repair.repair(name) }
    #expect(error?.code == .cancelled)
    let sound = try StoreRepair(site.connect(), from: site.open("b")) { true }
    #expect(throws: StoreError.self) { try sound.repair(name) }
    #expect(try near.existingFeed(named: name).description.generation == generation)
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    await site.cluster.close()
  }
}

extension Site {
  fileprivate func repair(_ near: FeedDatabase) throws -> StoreRepair {
    try StoreRepair(connect(), from: near) { false }
  }

  /// The keys of blocks of published feeds, which have no time to live.
  ///
  /// - Parameter part: empty for blocks of records, `i` for those of indexes, `s` for parts of schemas;
  ///   nil for all
  fileprivate func lastingBlocks(_ part: String? = nil) async throws -> [String] {
    var lasting: [String] = []
    for key in try await keys("fcb:*") where try await command("TTL", key) == "-1" {
      let parts = key.split(separator: ":")
      if part == nil || (parts.count == 3 ? "" : parts[2]) == part ?? "" { lasting.append(key) }
    }
    return lasting
  }
}
