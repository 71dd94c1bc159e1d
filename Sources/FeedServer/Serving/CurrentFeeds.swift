#if Server
  import FeedAPI
  import FeedCore
  import FeedFeature
  import FeedPayloads
  import FeedStorage
  import HTTPTypes
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A feed as a client is to see it now.
  struct CurrentFeed: Sendable {
    let feed: ServedFeed
    /// Why it is not the latest one; nil where it is, or nobody knows better.
    let failure: (any Error)?
  }

  /// The online and offline story as a service: a feed that comes from a service is asked for
  /// there when it is no longer fresh; where that fails, the cached one is good for as long as
  /// its policy says.
  final class CurrentFeeds: Sendable {
    private let store: ServedStore
    private let sources: [FeedName: FeedSource]
    private let policies: [FeedName: CachePolicy]
    private let freshness: Duration
    private let patience: Duration
    private let loads = Mutex<[FeedName: Load]>([:])

    /// A service that has just failed is left alone for as long.
    private static let pause = Duration.seconds(5)

    private enum Load {
      case running(Task<FeedDelivery, any Error>)
      case failed(any Error, at: ContinuousClock.Instant)
    }

    init(
      _ store: ServedStore, _ configuration: ServerConfiguration, _ sources: [FeedName: FeedSource]
    ) {
      self.store = store
      self.sources = sources
      policies = configuration.policies
      freshness = configuration.freshness
      patience = configuration.patience
    }

    /// Whether a feed can be served without asking anybody. Costs a look into the store.
    func isFresh(_ feed: ServedFeed) -> Bool {
      let name = feed.description.name
      if sources[name] == nil {
        guard let policy = policies[name] else { return true }
        return policy.isValid(Date(feed.description), at: Date())
      }
      let age = Date().timeIntervalSinceReferenceDate - feed.description.referenceSeconds
      return age < Double(freshness.components.seconds)
    }

    /// The feed of a name.
    ///
    /// - Parameter isLatest: whether its service is asked however fresh the feed is, and however
    ///   lately the service has failed.
    /// - Throws: ``Problem`` where there is none or it has expired; `RemoteError` where its service
    ///   failed and there is no cached feed that is valid; `StoreError`
    func feed(named name: FeedName, isLatest: Bool = false) async throws -> CurrentFeed {
      let cached = try store.feed(named: name)
      let asks = isLatest && sources[name] != nil
      if let cached, !asks, isFresh(cached) { return CurrentFeed(feed: cached, failure: nil) }
      guard let source = sources[name] else {
        return CurrentFeed(feed: try storedFeed(named: name), failure: nil)
      }
      return try await renewed(source, isLatest: isLatest)
    }

    /// The feed of a name as it is stored, without asking anybody.
    ///
    /// - Throws: ``Problem`` where there is none or it has expired; `StoreError`
    func storedFeed(named name: FeedName) throws -> ServedFeed {
      guard let feed = try store.feed(named: name) else {
        throw Problem.notFound("there is no feed named \(name)")
      }
      let isValid = try sources[name].map { source in try source.cachedFeed() != nil }
      guard isValid ?? isFresh(feed) else {
        throw Problem(.gone, "the feed \(name) has expired")
      }
      return feed
    }

    private func renewed(_ source: FeedSource, isLatest: Bool) async throws -> CurrentFeed {
      var failure: any Error
      do {
        if !isLatest, let error = recentFailure(of: source.name) { throw error }
        let delivery = try await Deadline.value(of: load(source), within: patience)
        failure = delivery?.failure ?? TransportError(.timeout, "the service takes its time")
        if let delivery, delivery.failure == nil, let feed = try store.feed(named: source.name) {
          return CurrentFeed(feed: feed, failure: nil)
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
      return CurrentFeed(feed: feed, failure: failure)
    }

    private func recentFailure(of name: FeedName) -> (any Error)? {
      loads.withLock { loads in
        guard case .failed(let error, let time) = loads[name],
          ContinuousClock.now - time < Self.pause
        else { return nil }
        return error
      }
    }

    /// The load that is under way, or a new one, which goes on when nobody waits for it any more.
    private func load(_ source: FeedSource) -> Task<FeedDelivery, any Error> {
      loads.withLock { loads in
        if case .running(let task) = loads[source.name] { return task }
        let task = Task {
          do {
            let delivery = try await source.refresh()
            end(source.name, nil)
            return delivery
          } catch {
            end(source.name, error)
            throw error
          }
        }
        loads[source.name] = .running(task)
        return task
      }
    }

    /// Ends the loads that are under way: a service that takes its time keeps no server that has
    /// stopped.
    func end() async {
      let tasks = loads.withLock { loads in
        loads.values.compactMap { load in
          if case .running(let task) = load { task } else { nil }
        }
      }
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
    }

    private func end(_ name: FeedName, _ error: (any Error)?) {
      loads.withLock { loads in
        loads[name] = error.map { .failed($0, at: .now) }
      }
    }
  }

  extension Date {
    /// When a feed was current.
    fileprivate init(_ feed: FeedDescription) {
      self.init(timeIntervalSinceReferenceDate: feed.referenceSeconds)
    }
  }
#endif
