import TestSupport

/// A store with little room.
protocol SmallStore {
  /// The place of the store, for failures.
  var place: String { get }
  /// Returns false if the store reports that it is full. Throws every other error.
  func ingest(_ batch: KnownRecords, as feed: String) throws -> Bool
  func delete(_ feed: String) throws
  func contents() throws -> StoreContents
}

/// Fills a store until an ingest is refused, makes room and continues, many times.
struct FillingUp<Store: SmallStore> {
  private let store: Store
  private let loops: Int
  private var random: SeededGenerator
  private var expected = StoreContents()
  private var tag = 0
  private var (stored, refused) = (0, 0)

  init(_ store: Store, loops: Int, seed: UInt64) {
    self.store = store
    self.loops = loops
    random = SeededGenerator(seed: seed)
  }

  mutating func run() throws -> String {
    for loop in 1...loops {
      do {
        try fill()
        try replaceByTooMuch()
        try makeRoom()
      } catch {
        let moment = "loop \(loop), \(expected.feeds.count) feeds"
        throw TortureFailure("\(store.place), \(moment): \(error)")
      }
    }
    return "\(loops) loops, \(stored) ingests, \(refused) refused, everything whole"
  }

  private mutating func batch(_ count: ClosedRange<Int>) -> KnownRecords {
    tag += 1
    return KnownRecords(
      tag: tag, count: Int.random(in: count, using: &random), padding: 700,
      isDocument: tag.isMultiple(of: 2))
  }

  /// Ingests new feeds until there is no room.
  private mutating func fill() throws {
    for _ in 0..<200 {
      let batch = batch(100...800)
      guard try ingest(batch, as: "feed\(batch.tag)") else { return }
    }
    throw TortureFailure("200 feeds fit, so the store is not small")
  }

  /// Verifies that a feed stays if its replacement does not fit.
  private mutating func replaceByTooMuch() throws {
    let name = try anyFeed()
    let isThere = try ingest(batch(9_000...9_000), as: name)
    try demand(!isThere, "8 MB fit, so the store is not small")
  }

  /// Verifies that the space of a deleted feed is enough for a slightly smaller feed.
  private mutating func makeRoom() throws {
    let name = try anyFeed()
    guard let old = expected.feeds[name]?.first else { return }
    try store.delete(name)
    expected.feeds[name] = nil
    try verify("after \(name) was deleted")
    tag += 1
    let batch = KnownRecords(
      tag: tag, count: max(old.count * 3 / 4, 3), padding: 700, isDocument: old.isDocument)
    try demand(
      try ingest(batch, as: "feed\(tag)"),
      "\(name) with \(old.count) records was deleted, and \(batch.count) have no room")
  }

  private mutating func anyFeed() throws -> String {
    guard let name = expected.feeds.keys.sorted().randomElement(using: &random) else {
      throw TortureFailure("no feed fits at all")
    }
    return name
  }

  private mutating func ingest(_ batch: KnownRecords, as feed: String) throws -> Bool {
    let isThere = try store.ingest(batch, as: feed)
    if isThere { expected.feeds[feed] = [batch] }
    stored += isThere ? 1 : 0
    refused += isThere ? 0 : 1
    try verify("after \(batch) as \(feed) was \(isThere ? "stored" : "refused")")
    return isThere
  }

  private func verify(_ moment: String) throws {
    let found = try store.contents()
    try demand(found == expected, "\(moment) the store holds \(found), not \(expected)")
  }
}
