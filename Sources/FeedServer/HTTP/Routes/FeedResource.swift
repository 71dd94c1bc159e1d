#if Server
  import FeedPayloads
  import FeedRecord
  import FeedStorage
  import HTTPTypes

  /// One feed in the form that routes use.
  struct FeedResource: Sendable {
    let current: CurrentFeed
    let context: ServerContext

    var feed: ServedFeed { current.feed }
    var description: FeedDescription { feed.description }

    /// The feed with a name.
    ///
    /// - Parameter isStored: whether the stored feed is used without asking its service.
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

    /// The feed with a name; nil if its service must be asked or an error is to be reported.
    init?(atHand text: String, _ context: ServerContext) throws(StoreError) {
      guard let name = try? FeedName(text), let current = try context.feeds.freshFeed(named: name)
      else { return nil }
      self.init(current, context)
    }

    init(_ current: CurrentFeed, _ context: ServerContext) {
      self.current = current
      self.context = context
    }

    /// The feed for an app's own path: the one named like its kind, else the first of the kind.
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

    /// Distinguishes this generation in this store from every other. It consists of known numbers.
    func tag(_ form: String) -> String {
      let store = String(context.store.database.identifier, radix: 36)
      return "\(store)-\(description.generation)-\(form)\(context.linkTag)"
    }

    /// Distinguishes a page of the feed in a format from its other representations. All except the
    /// bare records state the feed's age, and whether its service failed.
    func form(_ format: FeedFormat) -> String {
      if format == .ndjson { return format.rawValue }
      let time = String(description.referenceSeconds.bitPattern, radix: 36)
      return "\(format.rawValue)-\(time)\(current.failure == nil ? "" : "-stale")"
    }

    /// - Parameter form: distinguishes representations of one URL.
    func representation(
      _ mediaType: String, _ form: String, isPacked: Bool = true, isNegotiated: Bool = false
    ) -> Representation {
      Representation(
        mediaType: mediaType, tag: tag(form), modified: description.referenceSeconds,
        cacheControl: context.cacheControl(
          isStale: current.failure != nil, validFor: context.feeds.validity(of: feed)),
        isPacked: isPacked, isNegotiated: isNegotiated)
    }

    /// The condition under which a cached response with a record is current; nil if it must not be
    /// cached.
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

    /// A lease of the generation, to read it in parts.
    ///
    /// - Throws: ``Problem`` if it has just been replaced
    func lease() throws -> LeasedFeed {
      let lease = try context.store.database.leasedFeed(named: description.name)
      guard lease.description.generation == description.generation else { throw replaced }
      return lease
    }

    /// Verifies that what was looked up since this was made belongs to this generation. Generations
    /// only grow: if it is the same before and after, it was the same in between.
    ///
    /// - Throws: ``Problem`` if it has just been replaced
    func requireCurrent() throws {
      guard
        try context.store.feed(named: description.name)?.description.generation
          == description.generation
      else { throw replaced }
    }

    /// The feed was replaced while the response was being made.
    var replaced: Problem {
      var problem = Problem(
        .serviceUnavailable, "the feed was just replaced; ask again", fields: [.retryAfter: "0"])
      problem.isReplacement = true
      return problem
    }

    /// The first record with a key.
    ///
    /// - Throws: ``Problem`` 404 if there is none
    func record(_ key: String) throws -> [UInt8] {
      var bytes: [UInt8] = []
      try forEachRecord(of: key) { (record, _) throws(StoreError) in
        try feed.append(record, to: &bytes)
        return false
      }
      return bytes
    }

    /// The first record with a key; nil if there is none, or its stored form is longer than
    /// `byteCount`. It is not counted as a lookup.
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

    /// The positions of the records with a key.
    ///
    /// - Throws: ``Problem`` 404 if there are none; `cancelled`
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

    /// Calls `body` with the records with a key, all of this generation, until it returns false.
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

    /// Calls `body` with the records with a key, of whichever generation is current.
    private func visit(
      _ key: String, _ body: (RecordView, Int) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
      guard let bytes = feed.schema.keyBytes(key) else { return 0 }
      return try context.store.database.forEachRecord(
        in: description.name, withKeyBytes: bytes.span.bytes, body)
    }
  }

  extension ServerContext {
    /// The `Cache-Control` of a feed. Caches may store it for a minute. They may serve it stale
    /// while they revalidate, and for a week while they cannot (RFC 5861), but only while it is
    /// valid. With credentials, shared caches must not store it.
    ///
    /// - Parameter seconds: how long its policy considers it valid.
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
