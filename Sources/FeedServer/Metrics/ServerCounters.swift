import Synchronization

/// The counters of a server. It keeps them, so that counting needs no lookup.
package final class ServerCounters: Sendable {
  package typealias Transport = ServerTransport

  /// The counters of one protocol.
  private struct Counts: Sendable {
    let open: MetricGauge
    let accepted: MetricCounter
    let receivedBytes: MetricCounter
    let sentBytes: MetricCounter
    let refusals: [Refusal: MetricCounter]

    init(_ registry: MetricsRegistry, _ transport: Transport) {
      let labels = [("protocol", transport.rawValue)]
      open = registry.gauge("feedcore_connections", labels)
      accepted = registry.counter("feedcore_connections_total", labels)
      receivedBytes = registry.counter("feedcore_received_bytes_total", labels)
      sentBytes = registry.counter("feedcore_sent_bytes_total", labels)
      refusals = Dictionary(
        uniqueKeysWithValues: Refusal.allCases.map { refusal in
          let reason = [("reason", refusal.rawValue)]
          return (refusal, registry.counter("feedcore_refusals_total", labels + reason))
        })
    }
  }

  private struct Request: Hashable {
    let transport: Transport
    let route: String
    let outcome: String
  }

  /// All metrics of the server, and of the program if it uses the same registry.
  let registry: MetricsRegistry
  private let http: Counts
  private let resp: Counts
  private let lookups: (hits: MetricCounter, misses: MetricCounter)
  private let hot: MetricCounter
  /// Only HTTP has durations. RESP answers some commands in a microsecond, and reading the clock
  /// would be a considerable part of that.
  private let durations: MetricHistogram
  private let requests = Mutex<[Request: MetricCounter]>([:])

  package init(_ registry: MetricsRegistry = MetricsRegistry()) {
    self.registry = registry
    http = Counts(registry, .http)
    resp = Counts(registry, .resp)
    lookups = (
      hits: registry.counter("feedcore_lookups_total", [("result", "hit")]),
      misses: registry.counter("feedcore_lookups_total", [("result", "miss")])
    )
    hot = registry.counter("feedcore_hot_answers_total")
    durations = registry.histogram(
      "feedcore_request_duration_seconds", [("protocol", Transport.http.rawValue)])
  }

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
    counts(transport).open.increment(by: 1)
    counts(transport).accepted.add()
  }

  package func connectionClosed(_ transport: Transport) {
    counts(transport).open.decrement(by: 1)
  }

  /// The number of open connections.
  package func openConnections(_ transport: Transport) -> Int {
    Int(counts(transport).open.value)
  }

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
    request route: String, outcome: String, over transport: Transport
  ) {
    counter(request: route, outcome: outcome, over: transport).add()
  }

  /// Records the time until a response of HTTP began.
  func observe(_ duration: Duration) { durations.record(duration) }

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
      let counter = registry.counter(
        "feedcore_requests_total",
        [("protocol", transport.rawValue), ("route", route), ("outcome", outcome)])
      requests[request] = counter
      return counter
    }
  }

  /// The number of answered requests of a protocol.
  package func requestCount(_ transport: Transport) -> Int {
    requests.withLock { requests in
      requests.reduce(0) { $0 + ($1.key.transport == transport ? $1.value.value : 0) }
    }
  }
}

/// Why a client was refused. Each reason is counted.
package enum Refusal: String, CaseIterable, Sendable {
  /// The limit of connections was reached.
  case connectionLimit = "connection_limit"
  /// The input violates the protocol.
  case malformed
  /// A head, a command or an argument is too long.
  case tooLarge = "too_large"
  /// A host that is not allowed on the loopback interface.
  case host
  /// A request has a body where none is accepted.
  case body
  /// A request was not complete in time.
  case slowRequest = "slow_request"
  /// A response was not ready in time.
  case deadline
  /// A client received nothing of its response for too long.
  case slowReader = "slow_reader"
  /// The credentials are missing or wrong.
  case unauthorized
  /// Too many attempts with wrong credentials came from the client's address.
  case tooManyLogins = "too_many_logins"
  /// A method or command that does not exist or would write.
  case notAllowed = "not_allowed"
  /// A byte range outside an image.
  case range
  /// A URL that no feed names.
  case foreignURL = "foreign_url"
  /// The server is stopping.
  case stopping
}
