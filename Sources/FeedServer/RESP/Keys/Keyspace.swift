#if Server
  import FeedAPI
  import FeedFeature
  import FeedSchema
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
  /// Its state of a feed is valid for one state of the store. `begin` detects a new state, so that
  /// the next command sees what any process has published.
  final class Keyspace {
    let store: ServedStore
    private let policies: [FeedName: CachePolicy]
    private let notesRequests: Bool
    private var isCopying = false
    var answers: RESPResponseCache
    private(set) var slots: [FeedSlot] = []
    /// One validity for each slot.
    private(set) var validities: [FeedValidity] = []
    private var numbers: [FeedName: Int] = [:]
    /// The feed of the last key, by the bytes of its name: most keys name the same feed as the one
    /// before.
    private var lastNamed: (name: [UInt8], slot: Int)?
    private var state: StoreState?
    private var stateNumber: UInt64 = 0
    private var lastEpoch: UInt64 = 0
    /// The time of the batch, in seconds since 2001-01-01T00:00:00Z.
    private(set) var now: Double = 0
    /// The numbers of lookups with and without a result since they were last collected.
    var found = 0
    var missed = 0
    /// The sum of the touched bytes. It is never used and only prevents their removal by the
    /// optimizer.
    var touched: UInt8 = 0
    /// The work since the last reset, in approximate bytes of responses.
    var work = 0
    /// Reused memory for the next record.
    private var line: [UInt8] = []

    /// - Parameter cacheBytes: the memory of the response cache.
    init(_ store: ServedStore, policies: [FeedName: CachePolicy], cacheBytes: Int) {
      self.store = store
      self.policies = policies
      notesRequests = store.database.notesRequests
      answers = RESPResponseCache(byteCount: cacheBytes)
    }

    /// Begins a batch: later commands see the current state of the store, or a newer one.
    func begin() {
      now = Date().timeIntervalSinceReferenceDate
      look()
    }

    /// Releases the feeds that were replaced or deleted, so that a sweep can remove them.
    func releaseReplacedFeeds() {
      begin()
      for number in slots.indices {
        // If the new generation cannot be read, the next command that names the feed reports it.
        do throws(StoreError) { try check(number) } catch { slots[number].feed = nil }
      }
    }

    /// Releases all feeds while no connection reads them.
    func releaseFeeds() {
      for number in slots.indices {
        slots[number].feed = nil
        validities[number].checked = .max
      }
    }

    private func look() {
      // The next read reports why the store cannot be read.
      let current = try? store.database.state()
      guard current == nil || current != state else { return }
      state = current
      stateNumber += 1
    }

    // MARK: Feeds

    /// A slot's feed, if it is still valid.
    func valid(_ slot: Int) -> Feed? {
      now < validities[slot].expiry ? slots[slot].feed : nil
    }

    /// The index of a feed's slot; nil if there is no such feed.
    func slot(of name: FeedName) throws(StoreError) -> Int? {
      if let number = numbers[name] {
        try check(number)
        return slots[number].feed == nil ? nil : number
      }
      guard let feed = try store.feed(named: name, isRequest: false) else { return nil }
      slots.append(
        FeedSlot(name: name, feed: nil, pages: PageStarts(recordCount: 0)))
      validities.append(FeedValidity())
      numbers[name] = slots.count - 1
      take(feed, slots.count - 1)
      return slots.count - 1
    }

    /// Looks up the feed again if the state of the store has changed since the last lookup.
    func check(_ number: Int) throws(StoreError) {
      guard validities[number].checked != stateNumber else { return }
      take(try store.feed(named: slots[number].name, isRequest: false), number)
    }

    /// Whether a cached response with this origin is still valid.
    func isValid(_ origin: RESPResponseCache.Origin) -> Bool {
      if validities[origin.feed].checked != stateNumber {
        // Looking up the record reports the error of the store.
        guard (try? check(origin.feed)) != nil else { return false }
      }
      if notesRequests { store.database.noteRequest(of: slots[origin.feed].name) }
      let validity = validities[origin.feed]
      return validity.epoch == origin.epoch && now < validity.expiry
    }

    private func take(_ feed: Feed?, _ number: Int) {
      let old = slots[number].description
      slots[number].feed = feed
      slots[number].description = feed?.description
      validities[number].checked = stateNumber
      if let description = feed?.description {
        validities[number].expiry = expiry(description)
      }
      if let old, old == feed?.description { return }
      lastEpoch += 1
      validities[number].epoch = lastEpoch
      slots[number].pages = PageStarts(recordCount: feed?.description.recordCount ?? 0)
      slots[number].keys = KeyTally()
    }

    private func expiry(_ feed: FeedDescription) -> Double {
      let policy = policies[feed.name] ?? feed.schema?.policy ?? .essential
      let timestamp = Date(timeIntervalSinceReferenceDate: feed.referenceSeconds)
      return policy.expiry(of: timestamp)?.timeIntervalSinceReferenceDate ?? .infinity
    }

    /// The feed that a part of a key names, if it is valid.
    func feed(_ key: Span<UInt8>, _ name: Range<Int>) throws(StoreError) -> (Int, Feed)? {
      isCopying = false
      guard let slot = try slot(named: key.extracting(name).bytes), let feed = valid(slot) else {
        try copyIfAbsent(key.extracting(name).bytes)
        return nil
      }
      if notesRequests { store.database.noteRequest(of: slots[slot].name) }
      return (slot, feed)
    }

    /// Begins to copy a feed that the shared store has and this host lacks.
    ///
    /// - Throws: `busy` while it is being copied; the error of a copy that failed within the last
    ///   second
    private func copyIfAbsent(_ name: RawSpan) throws(StoreError) {
      guard store.database.isCopy,
        let text = String(validating: [UInt8](copying: name), as: UTF8.self),
        let name = try? FeedName(text), try store.copies.beginIfAbsent(name)
      else { return }
      isCopying = true
      throw FeedCopies.underWay(name)
    }

    /// Whether the last error was that a feed is being copied.
    func takeIsCopying() -> Bool {
      defer { isCopying = false }
      return isCopying
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

    /// Whether a part of a key names the last named feed, and `slot` is that feed's slot.
    func isLastNamed(_ name: Span<UInt8>, slot: Int) -> Bool {
      guard let lastNamed else { return false }
      return lastNamed.slot == slot && lastNamed.name.span.bytes.isEqual(to: name.bytes)
    }

    /// Changes the known start positions of a feed's pages.
    func withPages<R>(
      of slot: Int, _ body: (inout PageStarts) throws(StoreError) -> R
    ) throws(StoreError) -> R {
      // Moved out, so that the array is not copied and the slot can be read.
      var pages = PageStarts(recordCount: 0)
      swap(&pages, &slots[slot].pages)
      defer { swap(&pages, &slots[slot].pages) }
      return try body(&pages)
    }

    func addKeys(_ step: (count: Int, next: UInt32?), ofSlot slot: Int) {
      slots[slot].keys.add(step)
    }

    /// An empty array with capacity for a record.
    func reusableLine() -> [UInt8] {
      var line: [UInt8] = []
      swap(&line, &self.line)
      line.removeAll(keepingCapacity: true)
      line.reserveCapacity(512)
      return line
    }

    /// Takes back an array for reuse.
    func recycle(_ line: consuming [UInt8]) {
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
