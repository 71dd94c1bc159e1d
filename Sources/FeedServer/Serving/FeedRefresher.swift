#if Server
  import FeedAPI
  import FeedCore
  import FeedFeature
  import FeedSchema
  import FeedStorage
  import HTTPTypes
  import Logging
  import Synchronization
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A feed for a client at the present time.
  struct LoadedFeed: Sendable {
    let feed: Feed
    /// Why the feed is not the latest; nil if it is the latest, or if no newer one is known.
    let failure: (any Error)?
  }

  /// Implements the online and offline use cases. A feed that comes from a service is requested
  /// there when it is no longer fresh. If that fails, the cached feed is used while its policy
  /// considers it valid.
  final class FeedRefresher: Sendable {
    private let store: ServedStore
    private let origins: [FeedName: FeedSource]
    /// The answers of services to queries of clients; nil if no feed has a service.
    let passedQueries: PassedQueries?
    private let policies: [FeedName: CachePolicy]
    private let freshness: Duration
    private let requestTimeout: Duration
    private let refreshInterval: Duration
    private let logger: Logger
    private let loads = Mutex<[FeedName: Load]>([:])
    /// The last logged failure of each service, which is not repeated.
    private let loggedFailures = Mutex<[FeedName: String]>([:])
    /// The failures of further pages. They say nothing about the first page.
    private let pageFailures = Mutex<[FeedName: PageFailure]>([:])

    private struct PageFailure {
      let error: any Error
      let time: ContinuousClock.Instant
    }

    /// A load is late once a request has waited for it until its timeout. So is the next load if
    /// the late one failed. Requests do not wait for a late load if there is a cached feed.
    private enum Load {
      case running(SharedTask<FeedDelivery>, isLate: Bool)
      case succeeded(at: ContinuousClock.Instant)
      case failed(any Error, at: ContinuousClock.Instant, wasLate: Bool)

      var isLate: Bool {
        switch self {
        case .running(_, let isLate): isLate
        case .succeeded: false
        case .failed(_, _, let wasLate): wasLate
        }
      }
    }

    init(
      _ store: ServedStore, _ configuration: ServerConfiguration,
      _ origins: [FeedName: FeedSource] = [:], _ passedQueries: PassedQueries? = nil
    ) {
      self.store = store
      self.origins = origins
      self.passedQueries = passedQueries
      policies = configuration.policies
      freshness = configuration.freshness
      requestTimeout = configuration.serviceTimeout
      refreshInterval = configuration.minimumRefreshInterval
      logger = configuration.logger
    }

    /// The source of a feed with a service, or of the answer to a query.
    private func service(of name: FeedName) -> FeedSource? {
      origins[name] ?? passedQueries?.source(named: name)
    }

    /// Whether a feed can be served without asking its service. Costs a read of the store.
    func isFresh(_ feed: Feed) -> Bool {
      let name = feed.description.name
      if service(of: name) == nil {
        guard let policy = policies[name] else { return true }
        return policy.isValid(Date(feed.description), at: Date())
      }
      let age = Date().timeIntervalSinceReferenceDate - feed.description.referenceSeconds
      // A timestamp in the future comes from a clock that was corrected later.
      return (0..<Double(freshness.components.seconds)).contains(age)
    }

    /// The remaining seconds for which a feed's policy considers it valid; infinity without an
    /// expiry.
    ///
    /// A response with a fresh feed is cached unchanged. The seconds therefore count from the time
    /// when the feed is no longer fresh.
    func validity(of feed: Feed) -> Double {
      let name = feed.description.name
      let timestamp = Date(feed.description)
      guard let expiry = (service(of: name)?.policy ?? policies[name])?.expiry(of: timestamp) else {
        return .infinity
      }
      let isFreshUntil = timestamp + Double(freshness.components.seconds)
      let now = service(of: name) == nil ? Date() : max(Date(), isFreshUntil)
      return expiry.timeIntervalSince(now)
    }

    /// The feed with a name.
    ///
    /// - Parameter isLatest: whether its service is asked even if the feed is fresh, unless the
    ///   service has just answered.
    /// - Throws: ``Problem`` if there is none or it has expired; `RemoteError` if its service
    ///   failed and there is no valid cached feed; `StoreError`
    func feed(named name: FeedName, isLatest: Bool = false) async throws -> LoadedFeed {
      try await store.copies.copyIfAbsent(name)
      let asks = isLatest && service(of: name) != nil && !hasJustAnswered(name)
      if !asks, let fresh = try freshFeed(named: name) { return fresh }
      guard let source = service(of: name) else {
        return LoadedFeed(feed: try await storedFeed(named: name), failure: nil)
      }
      return try await renewed(source, isLatest: asks)
    }

    /// The feed with a name if it can be served without asking its service; else nil.
    func freshFeed(named name: FeedName) throws(StoreError) -> LoadedFeed? {
      guard let cached = try store.feed(named: name), isFresh(cached) else { return nil }
      return LoadedFeed(feed: cached, failure: nil)
    }

    /// The stored feed with a name, without asking its service.
    ///
    /// - Throws: ``Problem`` if there is none or it has expired; `StoreError`
    func storedFeed(named name: FeedName) async throws -> Feed {
      try await store.copies.copyIfAbsent(name)
      guard let feed = try store.feed(named: name) else {
        // The copy may have been removed to make space for another feed.
        if try store.database.mayCopy(name) { throw FeedCopies.underWay(name) }
        throw Problem.notFound("there is no feed named \(name)")
      }
      let isValid = try service(of: name).map { source in try source.cachedFeed() != nil }
      guard isValid ?? isFresh(feed) else {
        throw Problem(.gone, "the feed \(name) has expired")
      }
      return feed
    }

    /// The feed with further pages of its service, which are loaded until it has enough records.
    ///
    /// - Returns: the feed with the pages that could be loaded, and the failure if they are not
    ///   enough.
    func extended(
      _ loaded: LoadedFeed, until isEnough: (Feed) throws -> Bool
    ) async throws -> LoadedFeed {
      guard let source = service(of: loaded.feed.description.name) else { return loaded }
      let name = source.name
      let end = ContinuousClock.now + requestTimeout
      var feed = loaded.feed
      while try !isEnough(feed), source.mayHaveMore(feed.description) {
        // The service of a stale feed has just failed.
        if let failure = loaded.failure { return LoadedFeed(feed: feed, failure: failure) }
        do {
          if let failure = recentPageFailure(of: name) { throw failure }
          let outcome = try await Deadline.value(within: end - .now) {
            try await source.loadMore()
          }
          guard let outcome else {
            throw RemoteError(resource: name.text, .transport(Self.lateness))
          }
          guard outcome != nil, let longer = try store.feed(named: name) else { break }
          feed = longer
        } catch let error where !(error is CancellationError) {
          note(error, of: name)
          return LoadedFeed(feed: feed, failure: error)
        }
      }
      return LoadedFeed(feed: feed, failure: loaded.failure)
    }

    private func recentPageFailure(of name: FeedName) -> (any Error)? {
      pageFailures.withLock { failures in
        guard let failure = failures[name], ContinuousClock.now - failure.time < refreshInterval
        else { return nil }
        return failure.error
      }
    }

    private func note(_ error: any Error, of name: FeedName) {
      guard recentPageFailure(of: name) == nil else { return }
      pageFailures.withLock { $0[name] = PageFailure(error: error, time: .now) }
    }

    /// The number of records of a feed's service, if it has more than the feed; else nil. It is at
    /// least one more than the feed has, also if the service does not state a number.
    func statedCount(of feed: FeedDescription) -> Int? {
      guard let source = service(of: feed.name), source.mayHaveMore(feed) else { return nil }
      return max(PageEnvelope(feed.envelope).totalCount ?? 0, feed.recordCount + 1)
    }

    /// Whether a feed has a service that states at least this number of records, or states no
    /// number.
    func mayHave(_ count: Int, of feed: FeedDescription) -> Bool {
      guard service(of: feed.name) != nil else { return false }
      return PageEnvelope(feed.envelope).totalCount.map { $0 >= count } ?? true
    }

    private func renewed(_ source: FeedSource, isLatest: Bool) async throws -> LoadedFeed {
      var failure: any Error
      do {
        if let error = recentFailure(of: source.name) { throw error }
        let (load, isLate) = load(source, isLatest: isLatest)
        if isLate, try source.cachedFeed() != nil { throw Self.lateness }
        let delivery = try await load.value(within: requestTimeout)
        if delivery == nil { markLate(load, source.name) }
        failure = delivery?.failure ?? Self.lateness
        if let delivery, delivery.failure == nil, let feed = try store.feed(named: source.name) {
          return LoadedFeed(feed: feed, failure: nil)
        }
      } catch {
        failure = error
      }
      guard try source.cachedFeed() != nil, let feed = try store.feed(named: source.name) else {
        if let timeout = failure as? TransportError {
          throw RemoteError(resource: source.name.text, .transport(timeout))
        }
        throw failure
      }
      return LoadedFeed(feed: feed, failure: failure)
    }

    private func hasJustAnswered(_ name: FeedName) -> Bool {
      loads.withLock { loads in
        guard case .succeeded(let time) = loads[name] else { return false }
        return ContinuousClock.now - time < refreshInterval
      }
    }

    private func recentFailure(of name: FeedName) -> (any Error)? {
      loads.withLock { loads in
        guard case .failed(let error, let time, _) = loads[name],
          ContinuousClock.now - time < max(refreshInterval, Self.wait(wantedBy: error))
        else { return nil }
        return error
      }
    }

    /// The delay that the service requests before the next request, at most an hour.
    private static func wait(wantedBy error: any Error) -> Duration {
      min((error as? RemoteError)?.retryAfter ?? .zero, .seconds(3600))
    }

    private static var lateness: TransportError {
      TransportError(.timeout, "the service did not answer in time")
    }

    /// The load in progress, or a new one. It continues when no request waits for it.
    ///
    /// - Parameter isLatest: whether the request that starts it waits for it in any case.
    private func load(
      _ source: FeedSource, isLatest: Bool
    ) -> (work: SharedTask<FeedDelivery>, isLate: Bool) {
      loads.withLock { loads in
        if case .running(let work, let isLate) = loads[source.name] { return (work, isLate) }
        let isLate = loads[source.name]?.isLate ?? false
        let work = SharedTask {
          do {
            let delivery = try await source.refresh()
            self.end(source.name, nil)
            return delivery
          } catch {
            self.end(source.name, error)
            throw error
          }
        }
        loads[source.name] = .running(work, isLate: isLate)
        return (work, isLate && !isLatest)
      }
    }

    /// Marks a load for which a request has waited until its timeout.
    private func markLate(_ load: SharedTask<FeedDelivery>, _ name: FeedName) {
      loads.withLock { loads in
        guard case .running(let running, _) = loads[name], running === load else { return }
        loads[name] = .running(load, isLate: true)
      }
    }

    /// Cancels the loads in progress, so that a slow service does not delay the end of the server.
    /// What they have written is removed.
    func end() async {
      let works = loads.withLock { loads in
        loads.values.compactMap { load in
          if case .running(let work, _) = load { work } else { nil }
        }
      }
      for work in works { work.cancel() }
      for work in works { await work.waitUntilEnded() }
      // A cancelled load returns before it has cleaned up.
      let passed = passedQueries?.sources ?? []
      for source in Array(origins.values) + passed { await source.waitUntilIdle() }
    }

    private func end(_ name: FeedName, _ error: (any Error)?) {
      log(name, error)
      loads.withLock { loads in
        let wasLate = loads[name]?.isLate ?? false
        loads[name] =
          error.map { .failed($0, at: .now, wasLate: wasLate) } ?? .succeeded(at: .now)
      }
    }
  }

  extension FeedRefresher {
    /// Logs a failure of a service that differs from its last one.
    private func log(_ name: FeedName, _ error: (any Error)?) {
      let text = error.flatMap { $0 is CancellationError ? nil : "\($0)" }
      let isNew = loggedFailures.withLock { failures in
        defer { failures[name] = text }
        return failures[name] != text
      }
      guard let text, isNew else { return }
      logger.warning(
        "a feed was not loaded from its service", metadata: ["feed": "\(name)", "error": "\(text)"])
    }
  }

  extension Date {
    /// The timestamp of a feed.
    fileprivate init(_ feed: FeedDescription) {
      self.init(timeIntervalSinceReferenceDate: feed.referenceSeconds)
    }
  }
#endif
