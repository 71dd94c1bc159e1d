#if Server
  import FeedAPI
  import FeedCore
  import FeedFeature
  import FeedRecord
  import FeedSchema
  import FeedStorage
  import Synchronization
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Queries of clients that the service of a feed answers, because the cached feed cannot.
  ///
  /// The answer to each is a feed of its own, with the policy of the feed it belongs to. Any client
  /// can invent queries, so only the latest ones are kept.
  final class PassedQueries: Sendable {
    /// The maximum number of queries whose answers are kept.
    private static let maximumQueries = 64
    /// The maximum number of parameters of one query.
    private static let maximumParameters = 16
    private static let mark = "-query-"

    private let database: FeedDatabase
    private let policies: [FeedName: CachePolicy]
    private let origins: [FeedName: FeedSource]
    private let client: any FeedHTTPClient
    private let state = Mutex(State())

    private struct State {
      var sources: [FeedName: FeedSource] = [:]
      /// The names, the latest last.
      var order: [FeedName] = []
    }

    init(
      _ database: FeedDatabase, _ configuration: ServerConfiguration,
      _ origins: [FeedName: FeedSource], _ client: any FeedHTTPClient
    ) {
      self.database = database
      policies = configuration.policies
      self.origins = origins
      self.client = client
    }

    /// Whether a feed is the answer to a query that this process or an earlier one passed on.
    /// Another feed may have a name of this form, but has a different origin.
    func isAnswer(_ feed: FeedDescription) -> Bool {
      origins.values.contains { source in
        let service = RemoteResource(source.url, client: client).name
        let start = Self.nameStart(of: source.name)
        return feed.name.text.hasPrefix(start) && feed.origin.hasPrefix(service + "?query-")
          && feed.name.text.dropFirst(start.count).allSatisfy { $0.isLetter || $0.isNumber }
      }
    }

    private static func nameStart(of feed: FeedName) -> String { feed.text.prefix(40) + mark }

    /// The source of an answer that is kept.
    func source(named name: FeedName) -> FeedSource? { state.withLock { $0.sources[name] } }

    var sources: [FeedSource] { state.withLock { Array($0.sources.values) } }

    /// The source of the answer to a query; nil if the feed has no service, or there are no
    /// parameters to pass. Parameters of the service's URL, such as the operator's key, cannot be
    /// replaced.
    func source(
      of feed: FeedDescription, passing parameters: [(name: String, value: String)]
    ) -> FeedSource? {
      guard let origin = origins[feed.name],
        let schema = feed.contract(in: .standard)
      else { return nil }
      let own = URLComponents(url: origin.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
      let passed = parameters.filter { item in
        !item.name.isEmpty && !own.contains { $0.name == item.name }
      }.prefix(Self.maximumParameters)
      guard !passed.isEmpty else { return nil }
      let url = origin.url.endpoint(
        [], query: passed.map { (name: $0.name.queryEscaped, value: $0.value) })
      let bytes = Array(url.absoluteString.utf8)
      let hash = String(KeyHash.hash(bytes.span.bytes), radix: 36)
      guard let name = try? FeedName(Self.nameStart(of: feed.name) + hash) else {
        return nil
      }
      var policy = policies[feed.name] ?? schema.policy
      // The answer to a query always replaces the earlier answer as a whole.
      policy.write = .replace
      return kept(
        FeedSource(name, from: url, in: database, schema: schema, policy: policy, client: client))
    }

    /// The source kept for the same query; if there is none, `source` is kept and returned.
    private func kept(_ source: FeedSource) -> FeedSource {
      let (kept, isNew) = state.withLock { state in
        state.order.removeAll { $0 == source.name }
        state.order.append(source.name)
        if let known = state.sources[source.name], known.url == source.url { return (known, false) }
        state.sources[source.name] = source
        if state.order.count > Self.maximumQueries {
          state.sources[state.order.removeFirst()] = nil
        }
        return (source, true)
      }
      if isNew { Task { await removeOldAnswers() } }
      return kept
    }

    /// Deletes the oldest answers beyond the limit, also those of earlier processes.
    private func removeOldAnswers() async {
      let known = state.withLock { Set($0.order) }
      try? await onWorkerThread { [self] in
        let answers = try database.feeds().filter { isAnswer($0) }
        let old = answers.filter { !known.contains($0.name) }
          .sorted { $0.referenceSeconds < $1.referenceSeconds }
        for feed in old.prefix(max(answers.count - Self.maximumQueries, 0)) {
          _ = try? database.delete(feed.name)
        }
      }
    }
  }
#endif
