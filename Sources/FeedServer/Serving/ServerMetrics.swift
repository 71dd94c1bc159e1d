import Synchronization

/// What a server counts. Every number only grows, but for that of the open connections.
package final class ServerMetrics: Sendable {
  /// The two protocols.
  package enum Transport: String, CaseIterable, Sendable {
    case http, resp
  }

  /// What is counted of one protocol.
  private struct Counts: Sendable {
    let open = MetricCounter()
    let accepted = MetricCounter()
    let receivedBytes = MetricCounter()
    let sentBytes = MetricCounter()
    let refusals = Dictionary(
      uniqueKeysWithValues: Refusal.allCases.map { ($0, MetricCounter()) })
    let durations = MetricHistogram()
  }

  private struct Request: Hashable {
    let transport: Transport
    let route: String
    let outcome: String
  }

  private let http = Counts()
  private let resp = Counts()
  private let lookups = (hits: MetricCounter(), misses: MetricCounter())
  private let hot = MetricCounter()
  private let requests = Mutex<[Request: MetricCounter]>([:])

  package init() {}

  private func counts(_ transport: Transport) -> Counts {
    switch transport {
    case .http: http
    case .resp: resp
    }
  }

  /// A client that did not get what it wanted.
  package func count(refusal: Refusal, of transport: Transport) {
    counts(transport).refusals[refusal]?.add()
  }

  package func refusals(_ refusal: Refusal, of transport: Transport) -> Int {
    counts(transport).refusals[refusal]?.value ?? 0
  }

  /// A connection that was accepted. Each is closed again once.
  package func connectionOpened(_ transport: Transport) {
    counts(transport).open.add()
    counts(transport).accepted.add()
  }

  package func connectionClosed(_ transport: Transport) { counts(transport).open.add(-1) }

  /// The connections that are open now.
  package func openConnections(_ transport: Transport) -> Int { counts(transport).open.value }

  /// The connections that there have been.
  package func acceptedConnections(_ transport: Transport) -> Int {
    counts(transport).accepted.value
  }

  package func count(received bytes: Int, over transport: Transport) {
    counts(transport).receivedBytes.add(bytes)
  }

  package func count(sent bytes: Int, over transport: Transport) {
    counts(transport).sentBytes.add(bytes)
  }

  package func receivedBytes(_ transport: Transport) -> Int {
    counts(transport).receivedBytes.value
  }

  package func sentBytes(_ transport: Transport) -> Int { counts(transport).sentBytes.value }

  /// A record or an image that was looked up for a client.
  package func countLookup(isFound: Bool) { (isFound ? lookups.hits : lookups.misses).add() }

  /// Several of them.
  package func countLookups(found: Int, missing: Int) {
    if found > 0 { lookups.hits.add(found) }
    if missing > 0 { lookups.misses.add(missing) }
  }

  /// The look-ups that found what they were for, and those that did not.
  package var lookupCounts: (hits: Int, misses: Int) { (lookups.hits.value, lookups.misses.value) }

  /// A request that was answered.
  ///
  /// - Parameters:
  ///   - route: one of a few: a template such as `/feeds/{name}`, a command such as `GET`. Nothing
  ///     that a client can make up.
  ///   - outcome: a status such as `200`, or `ok` and `error`.
  package func count(
    request route: String, outcome: String, over transport: Transport, took duration: Duration?
  ) {
    counter(request: route, outcome: outcome, over: transport).add()
    if let duration { observe(duration, over: transport) }
  }

  /// How long it took until an answer began.
  func observe(_ duration: Duration, over transport: Transport) {
    counts(transport).durations.observe(duration)
  }

  /// An answer of HTTP that was at hand; its request is counted by whoever gives it.
  func countHot() { hot.add() }

  /// The answers of HTTP that were at hand.
  package var hotAnswers: Int { hot.value }

  /// The counter of a kind of requests, for whoever counts many of them.
  func counter(
    request route: String, outcome: String, over transport: Transport
  ) -> MetricCounter {
    let request = Request(transport: transport, route: route, outcome: outcome)
    return requests.withLock { requests in
      if let counter = requests[request] { return counter }
      let counter = MetricCounter()
      requests[request] = counter
      return counter
    }
  }

  /// One kind of requests, and how many of them were answered.
  struct RequestCount {
    let transport: Transport
    let route: String
    let outcome: String
    let value: Int
  }

  /// All kinds of requests that there were, in order.
  var requestCounts: [RequestCount] {
    requests.withLock { requests in
      requests.map { request, counter in
        RequestCount(
          transport: request.transport, route: request.route, outcome: request.outcome,
          value: counter.value)
      }
    }
    .sorted {
      ($0.transport.rawValue, $0.route, $0.outcome) < ($1.transport.rawValue, $1.route, $1.outcome)
    }
  }

  /// How long requests took.
  func durations(_ transport: Transport) -> MetricHistogram { counts(transport).durations }

  /// The requests of a protocol that were answered.
  package func requestCount(_ transport: Transport) -> Int {
    requests.withLock { requests in
      requests.reduce(0) { $0 + ($1.key.transport == transport ? $1.value.value : 0) }
    }
  }
}
