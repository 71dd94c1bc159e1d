#if Server
  import FeedFeature
  import FeedPayloads
  import FeedRecord
  import FeedStorage
  import LMDB

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The keys under which a store is read over RESP, for one worker.
  ///
  /// What it remembers of a feed counts for one state of the store: `begin` finds out whether there
  /// is another one, so that what any process has published is seen by the next command.
  final class Keyspace {
    let store: ServedStore
    private let policies: [FeedName: CachePolicy]
    var answers: AnswerCache
    private(set) var slots: [FeedSlot] = []
    /// One for each slot.
    private(set) var marks: [FeedMark] = []
    private var numbers: [FeedName: Int] = [:]
    /// The feed that a key named last, by its bytes: most keys name the same one as those before.
    private var lastNamed: (name: [UInt8], slot: Int)?
    private var state: StoreState?
    private var stateNumber: UInt64 = 0
    private var lastEpoch: UInt64 = 0
    /// The time of the batch, in seconds since 2001-01-01T00:00:00Z.
    private(set) var now: Double = 0
    /// Look-ups that found something, and those that did not, since somebody took them.
    var found = 0
    var missed = 0
    /// What the touched bytes of answers came to: of no use to anybody, and not left out therefore.
    var touched: UInt8 = 0
    /// What was done since somebody set this to 0, about in bytes of answers.
    var work = 0
    /// Memory for the next record, so that none is asked for each time.
    private var line: [UInt8] = []

    /// - Parameter cacheBytes: the memory for answers that are kept.
    init(_ store: ServedStore, policies: [FeedName: CachePolicy], cacheBytes: Int) {
      self.store = store
      self.policies = policies
      answers = AnswerCache(byteCount: cacheBytes)
    }

    /// Begins a batch: what comes after is answered by the store as it is now, or later.
    func begin() {
      now = Date().timeIntervalSinceReferenceDate
      look()
    }

    private func look() {
      // Whoever reads next is told why it cannot be read.
      let current = try? store.database.state()
      guard current == nil || current != state else { return }
      state = current
      stateNumber += 1
    }

    // MARK: Feeds

    /// A slot's feed, if it may be delivered now.
    func valid(_ slot: Int) -> ServedFeed? {
      now < marks[slot].expiry ? slots[slot].feed : nil
    }

    /// The number of a feed's slot; nil where there is no such feed.
    func slot(of name: FeedName) throws(StoreError) -> Int? {
      if let number = numbers[name] {
        try check(number)
        return slots[number].feed == nil ? nil : number
      }
      guard let feed = try store.feed(named: name) else { return nil }
      slots.append(
        FeedSlot(name: name, feed: nil, pages: PageStarts(recordCount: 0)))
      marks.append(FeedMark())
      numbers[name] = slots.count - 1
      take(feed, slots.count - 1)
      return slots.count - 1
    }

    /// Looks the feed up again if the store has another state than when that was done last.
    func check(_ number: Int) throws(StoreError) {
      guard marks[number].checked != stateNumber else { return }
      take(try store.feed(named: slots[number].name), number)
    }

    /// Whether an answer would be made again as it was.
    func isRight(_ origin: AnswerCache.Origin) -> Bool {
      if marks[origin.feed].checked != stateNumber {
        // Whoever looks the record up is told what is wrong with the store.
        guard (try? check(origin.feed)) != nil else { return false }
      }
      let mark = marks[origin.feed]
      return mark.epoch == origin.epoch && now < mark.expiry
    }

    private func take(_ feed: ServedFeed?, _ number: Int) {
      let old = slots[number].feed?.description
      slots[number].feed = feed
      marks[number].checked = stateNumber
      if let description = feed?.description {
        marks[number].expiry = expiry(description, feed?.schema)
      }
      if let old, old == feed?.description { return }
      lastEpoch += 1
      marks[number].epoch = lastEpoch
      slots[number].pages = PageStarts(recordCount: feed?.description.recordCount ?? 0)
    }

    private func expiry(_ feed: FeedDescription, _ schema: PayloadSchema?) -> Double {
      let policy = policies[feed.name] ?? schema?.policy ?? .essential
      let timestamp = Date(timeIntervalSinceReferenceDate: feed.referenceSeconds)
      return policy.expiry(of: timestamp)?.timeIntervalSinceReferenceDate ?? .infinity
    }

    /// Runs a body on a feed and gives what it returns, if the feed was of one generation all the
    /// time; else runs it again.
    func consistently<R>(
      _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
      // Each time somebody has committed in between: that many commits in a row would be an ingest
      // that goes on while this thread gets no time at all.
      for _ in 0..<1_000 {
        let before = stateNumber
        let result = try body()
        look()
        if stateNumber == before, state != nil { return result }
      }
      throw StoreError(.busy, "the store changes faster than it can be read; ask again")
    }

    /// The feed that part of a key names, if it may be delivered.
    func feed(_ key: Span<UInt8>, _ name: Range<Int>) throws(StoreError) -> (Int, ServedFeed)? {
      guard let slot = try slot(named: key.extracting(name).bytes), let feed = valid(slot)
      else { return nil }
      return (slot, feed)
    }

    private func slot(named bytes: RawSpan) throws(StoreError) -> Int? {
      if let lastNamed, lastNamed.name.span.bytes.isEqual(to: bytes) {
        try check(lastNamed.slot)
        return lastNamed.slot
      }
      let name = [UInt8](copying: bytes)
      guard let text = String(validating: name, as: UTF8.self), let feed = try? FeedName(text),
        let slot = try slot(of: feed)
      else { return nil }
      lastNamed = (name, slot)
      return slot
    }

    /// Whether part of a key names the feed that was named last, and that is the one of a slot.
    func isLastNamed(_ name: Span<UInt8>, slot: Int) -> Bool {
      guard let lastNamed else { return false }
      return lastNamed.slot == slot && lastNamed.name.span.bytes.isEqual(to: name.bytes)
    }

    /// Changes what is known of where a feed's pages begin.
    func withPages<R>(
      of slot: Int, _ body: (inout PageStarts) throws(StoreError) -> R
    ) throws(StoreError) -> R {
      // Taken out meanwhile, so that the array is not copied and the slot can be read.
      var pages = PageStarts(recordCount: 0)
      swap(&pages, &slots[slot].pages)
      defer { swap(&pages, &slots[slot].pages) }
      return try body(&pages)
    }

    /// An empty array with room for a record.
    func takeLine() -> [UInt8] {
      var line: [UInt8] = []
      swap(&line, &self.line)
      line.removeAll(keepingCapacity: true)
      line.reserveCapacity(512)
      return line
    }

    /// Takes an array back that nobody needs any more.
    func giveBack(_ line: consuming [UInt8]) {
      if line.capacity <= 64 << 10 { self.line = line }
    }

    static func text(_ bytes: Span<UInt8>) -> String? {
      String(validating: [UInt8](copying: bytes.bytes), as: UTF8.self)
    }

    func count(isFound: Bool) {
      if isFound { found += 1 } else { missed += 1 }
    }
  }
#endif
