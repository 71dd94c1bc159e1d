#if Server
  import FeedAPI
  import FeedCore
  import FeedSchema
  import FeedRecord
  import FeedStorage
  import HTTPTypes

  /// One feed in the form that routes use.
  struct FeedResource: Sendable {
    let current: LoadedFeed
    let context: ServerContext

    var feed: Feed { current.feed }
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
        ? LoadedFeed(feed: context.feeds.storedFeed(named: name), failure: nil)
        : context.feeds.feed(named: name)
      self.init(current, context)
    }

    /// The feed with a name; nil if its service must be asked or an error is to be reported.
    init?(fresh text: String, _ context: ServerContext) throws(StoreError) {
      guard let name = try? FeedName(text), let current = try context.feeds.freshFeed(named: name)
      else { return nil }
      self.init(current, context)
    }

    init(_ current: LoadedFeed, _ context: ServerContext) {
      self.current = current
      self.context = context
    }

    /// The feed with further pages of its service.
    ///
    /// - Parameter isEnough: whether no more is needed.
    func extended(until isEnough: (Feed) throws -> Bool) async throws -> FeedResource {
      FeedResource(try await context.feeds.extended(current, until: isEnough), context)
    }

    /// The feed with further pages of its service, until it has the records of a page.
    ///
    /// - Parameters:
    ///   - number: the number of the page, counted from 1.
    ///   - size: the records of a whole page.
    /// - Throws: the error of the service, if it failed and the feed has no record of the page.
    func extended(toPage number: Int, of size: Int) async throws -> FeedResource {
      let end = number.multipliedReportingOverflow(by: size)
      let count = end.overflow ? Int.max : end.partialValue
      let start = count - size
      guard context.feeds.mayHave(start + 1, of: description) else { return self }
      let resource = try await extended { $0.description.recordCount >= count }
      if let failure = resource.current.failure, resource.statedCount != nil,
        resource.description.recordCount <= start
      {
        throw failure
      }
      return resource
    }

    /// The answer of the feed's service to a query; nil if the feed has no service, or there are no
    /// parameters to pass.
    ///
    /// - Throws: ``Problem`` 404 if the service has nothing for it; as ``init(_:_:isStored:)``.
    func passing(_ parameters: [(name: String, value: String)]) async throws -> FeedResource? {
      guard
        let source = context.feeds.passedQueries?.source(of: description, passing: parameters)
      else { return nil }
      do {
        return FeedResource(try await context.feeds.feed(named: source.name), context)
      } catch let error as RemoteError where error.cause == .status(404) {
        throw Problem.notFound("the service has nothing for this query")
      }
    }

    /// The number of records of the service, while it has more than the feed.
    var statedCount: Int? { context.feeds.statedCount(of: description) }

    /// Distinguishes pages of this generation that state another number of records.
    func form(ofPages form: String) -> String { form + (statedCount.map { "\($0)" } ?? "") }

    /// The feed for an app's own path: the one named like its kind, else the first of the kind.
    init(ofKind kind: String, _ context: ServerContext) async throws {
      guard let name = try await Self.name(ofKind: kind, context) else {
        throw Problem.notFound("there is no feed of \(kind)")
      }
      self.init(try await context.feeds.feed(named: name), context)
      guard description.presetName == kind else {
        throw Problem.notFound("there is no feed of \(kind)")
      }
    }

    /// The name of the feed for an app's own path; nil if there is none.
    static func name(
      ofKind kind: String, _ context: ServerContext
    ) async throws -> FeedName? {
      if let name = try? FeedName(kind) {
        if context.sources[name] != nil { return name }
        try await context.store.copies.copyIfAbsent(name)
        let named = try context.store.database.feedDescription(named: name)
        if named?.presetName == kind { return name }
      }
      return try context.store.database.feeds().first { $0.presetName == kind }?.name
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
    var condition: CachedResponse.Condition? {
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
#endif
