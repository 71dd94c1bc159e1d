#if Server
  import FeedPayloads
  import FeedRecord
  import FeedStorage
  import HTTPTypes

  /// One feed as routes answer with it.
  struct FeedResource: Sendable {
    let current: CurrentFeed
    let context: ServerContext

    var feed: ServedFeed { current.feed }
    var description: FeedDescription { feed.description }

    /// The feed of a name.
    ///
    /// - Parameter isStored: whether nobody is asked for a newer one.
    init(_ text: String, _ context: ServerContext, isStored: Bool = false) async throws {
      let name: FeedName
      do throws(StoreError) {
        name = try FeedName(text)
      } catch {
        throw Problem.notFound(error.message)
      }
      let current =
        try await isStored
        ? CurrentFeed(feed: context.feeds.storedFeed(named: name), failure: nil)
        : context.feeds.feed(named: name)
      self.init(current, context)
    }

    /// The feed of a name, unless somebody has to be asked for it, or there is something else to be
    /// told.
    init?(atHand text: String, _ context: ServerContext) throws(StoreError) {
      guard let name = try? FeedName(text), let current = try context.feeds.freshFeed(named: name)
      else { return nil }
      self.init(current, context)
    }

    init(_ current: CurrentFeed, _ context: ServerContext) {
      self.current = current
      self.context = context
    }

    /// The feed that an app's own path stands for: the one named like its kind, else the first one
    /// of the kind.
    init(ofKind kind: String, _ context: ServerContext) async throws {
      guard let name = try Self.name(ofKind: kind, context) else {
        throw Problem.notFound("there is no feed of \(kind)")
      }
      self.init(try await context.feeds.feed(named: name), context)
      guard description.kind == kind else {
        throw Problem.notFound("there is no feed of \(kind)")
      }
    }

    private static func name(
      ofKind kind: String, _ context: ServerContext
    ) throws(StoreError) -> FeedName? {
      if let name = try? FeedName(kind) {
        if context.sources[name] != nil { return name }
        if try context.store.database.feed(named: name)?.kind == kind { return name }
      }
      return try context.store.database.feeds().first { $0.kind == kind }?.name
    }

    /// Tells this generation in this store from every other; made of numbers that are at hand.
    func tag(_ form: String) -> String {
      let store = String(context.store.database.identifier, radix: 36)
      return "\(store)-\(description.generation)-\(form)\(context.linkTag)"
    }

    /// What tells a page of the feed in a format from its other representations: but for the bare
    /// records, each says how old the feed is, and whether its service failed.
    func form(_ format: FeedFormat) -> String {
      if format == .ndjson { return format.rawValue }
      let time = String(description.referenceSeconds.bitPattern, radix: 36)
      return "\(format.rawValue)-\(time)\(current.failure == nil ? "" : "-stale")"
    }

    /// - Parameter form: what tells representations of one URL apart.
    func representation(
      _ mediaType: String, _ form: String, isPacked: Bool = true, isNegotiated: Bool = false
    ) -> Representation {
      Representation(
        mediaType: mediaType, tag: tag(form), modified: description.referenceSeconds,
        cacheControl: context.cacheControl(
          isStale: current.failure != nil, validFor: context.feeds.validity(of: feed)),
        isPacked: isPacked, isNegotiated: isNegotiated)
    }

    /// What has to be so for an answer with a record to be given again; nil for one that is not to
    /// be.
    var condition: HotAnswer.Condition? {
      guard current.failure == nil else { return nil }
      let name = description.name
      var until: Double?
      if context.sources[name] != nil {
        let freshness = context.configuration.freshness.components.seconds
        until = description.referenceSeconds + Double(freshness)
      } else if context.configuration.policies[name] != nil {
        return nil
      }
      return .feed(
        name, generation: description.generation,
        referenceSeconds: description.referenceSeconds, until: until)
    }

    /// The generation to be read part by part.
    ///
    /// - Throws: ``Problem`` where it has just been replaced
    func lease() throws -> LeasedFeed {
      let lease = try context.store.database.leasedFeed(named: description.name)
      guard lease.description.generation == description.generation else { throw replaced }
      return lease
    }

    /// Makes sure that what was looked up since this was made is of this generation. They only grow:
    /// with the same one before and after, it was the one in between.
    ///
    /// - Throws: ``Problem`` where it has just been replaced
    func requireCurrent() throws {
      guard
        try context.store.feed(named: description.name)?.description.generation
          == description.generation
      else { throw replaced }
    }

    /// A new one took the place of the feed while the answer was being made.
    var replaced: Problem {
      var problem = Problem(
        .serviceUnavailable, "the feed was just replaced; ask again", fields: [.retryAfter: "0"])
      problem.isReplacement = true
      return problem
    }

    /// The first record of a key.
    ///
    /// - Throws: ``Problem`` 404 where there is none
    func record(_ key: String) throws -> [UInt8] {
      var bytes: [UInt8] = []
      try forEachRecord(of: key) { (record, _) throws(StoreError) in
        try feed.append(record, to: &bytes)
        return false
      }
      return bytes
    }

    /// The first record of a key; nil where there is none, or it is longer as it is stored. Not
    /// counted as a look-up.
    func recordAtHand(_ key: String, upTo byteCount: Int) throws -> [UInt8]? {
      var bytes: [UInt8]?
      _ = try visit(key) { (record, _) throws(StoreError) in
        guard record.bytes.byteCount <= byteCount else { return false }
        var line: [UInt8] = []
        line.reserveCapacity(record.bytes.byteCount + 256)
        try feed.append(record, to: &line)
        bytes = line
        return false
      }
      if bytes != nil { try requireCurrent() }
      return bytes
    }

    /// Where the records of a key are.
    ///
    /// - Throws: ``Problem`` 404 where there is none; `cancelled`
    @concurrent
    func positions(_ key: String) async throws -> [Range<Int>] {
      var runs: [Range<Int>] = []
      try forEachRecord(of: key) { (_, position) throws(StoreError) in
        if position % 4096 == 0, Task.isCancelled {
          throw StoreError(.cancelled, "nobody waits for the records")
        }
        runs.append(position: position)
        return true
      }
      return runs
    }

    /// Calls `body` with the records of a key, all of this generation, until it returns false.
    private func forEachRecord(
      of key: String, _ body: (RecordView, Int) throws(StoreError) -> Bool
    ) throws {
      let count = try visit(key, body)
      context.metrics.countLookup(isFound: count > 0)
      try requireCurrent()
      guard count > 0 else {
        throw Problem.notFound("the feed \(description.name) has no record of this key")
      }
    }

    /// Calls `body` with the records of a key, of whatever generation is current.
    private func visit(
      _ key: String, _ body: (RecordView, Int) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
      guard let bytes = feed.schema.keyBytes(key) else { return 0 }
      return try context.store.database.forEachRecord(
        in: description.name, withKeyBytes: bytes.span.bytes, body)
    }
  }

  extension ServerContext {
    /// What caches may do with a feed: keep it for a minute, serve it while they ask for a newer
    /// one, and for a week while they cannot (RFC 5861); in all no longer than it is valid. Who is
    /// let in does not share a cache.
    ///
    /// - Parameter seconds: for how long its policy calls it valid.
    func cacheControl(isStale: Bool = false, validFor seconds: Double = .infinity) -> String {
      let rest = Int(min(max(seconds, 0), 1e9))
      let age = min(isStale ? 5 : 60, rest)
      let scope = configuration.credentials == nil ? "public" : "private"
      let field = "\(scope), max-age=\(age)"
      guard rest > age else { return field + ", must-revalidate" }
      return field + ", stale-while-revalidate=\(min(600, rest - age))"
        + ", stale-if-error=\(min(604_800, rest - age))"
    }
  }

  extension ServedFeed {
    /// Appends a record in the form of its contract.
    func append(
      _ record: borrowing RecordView, to bytes: inout [UInt8]
    ) throws(StoreError) {
      do throws(RecordError) {
        try writer.append(record, to: &bytes)
      } catch {
        throw StoreError(.damaged, "a record is damaged", cause: error)
      }
    }
  }
#endif
