import Synchronization

/// The counters of a server. Every number only grows, except the number of open connections.
package final class ServerMetrics: Sendable {
  /// The two protocols.
  package enum Transport: String, CaseIterable, Sendable {
    case http, resp
  }

  /// The counters of one protocol.
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

  /// Counts a refused client.
  package func count(refusal: Refusal, of transport: Transport) {
    counts(transport).refusals[refusal]?.add()
  }

  package func refusals(_ refusal: Refusal, of transport: Transport) -> Int {
    counts(transport).refusals[refusal]?.value ?? 0
  }

  /// Counts an accepted connection. Each is closed exactly once.
  package func connectionOpened(_ transport: Transport) {
    counts(transport).open.add()
    counts(transport).accepted.add()
  }

  package func connectionClosed(_ transport: Transport) { counts(transport).open.add(-1) }

  /// The number of open connections.
  package func openConnections(_ transport: Transport) -> Int { counts(transport).open.value }

  /// The number of connections accepted so far.
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

  /// Counts a lookup of a record or image for a client.
  package func countLookup(isFound: Bool) { (isFound ? lookups.hits : lookups.misses).add() }

  /// Counts several lookups.
  package func countLookups(found: Int, missing: Int) {
    if found > 0 { lookups.hits.add(found) }
    if missing > 0 { lookups.misses.add(missing) }
  }

  /// The numbers of lookups with and without a result.
  package var lookupCounts: (hits: Int, misses: Int) { (lookups.hits.value, lookups.misses.value) }

  /// Counts an answered request.
  ///
  /// - Parameters:
  ///   - route: one of a fixed set: a template such as `/feeds/{name}`, a command such as `GET`.
  ///     It never contains text of a client.
  ///   - outcome: a status such as `200`, or `ok` and `error`.
  package func count(
    request route: String, outcome: String, over transport: Transport, took duration: Duration?
  ) {
    counter(request: route, outcome: outcome, over: transport).add()
    if let duration { observe(duration, over: transport) }
  }

  /// Records the time until a response began.
  func observe(_ duration: Duration, over transport: Transport) {
    counts(transport).durations.observe(duration)
  }

  /// Counts an HTTP response from the cache. The caller counts its request.
  func countHot() { hot.add() }

  /// The number of HTTP responses from the cache.
  package var hotAnswers: Int { hot.value }

  /// The counter of one kind of request, for a caller that counts many.
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

  /// One kind of request, and the number of those that were answered.
  struct RequestCount {
    let transport: Transport
    let route: String
    let outcome: String
    let value: Int
  }

  /// All kinds of requests so far, in order.
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

  /// The durations of requests.
  func durations(_ transport: Transport) -> MetricHistogram { counts(transport).durations }

  /// The number of answered requests of a protocol.
  package func requestCount(_ transport: Transport) -> Int {
    requests.withLock { requests in
      requests.reduce(0) { $0 + ($1.key.transport == transport ? $1.value.value : 0) }
    }
  }
}
