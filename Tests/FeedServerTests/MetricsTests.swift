#if Server
  import CoreMetrics
  import FeedAPI
  import FeedCore
  import Foundation
  import Testing

  @testable import FeedServer

  @Suite("The metrics")
  struct MetricsTests {
    @Test("are written in the text format of Prometheus")
    func text() {
      let registry = MetricsRegistry()
      registry.counter("feedcore_requests_total", [("route", "a\"b\\c\nd")]).add(2)
      registry.gauge("feedcore_connections").set(1.5)
      registry.gauge("feedcore_connections", [("protocol", "http")]).increment(by: 3)
      let histogram = registry.histogram("waits", [("kind", "x")], [1, 10])
      for value in [0.5, 1, 2, 100] { histogram.record(value) }
      #expect(
        registry.text == """
          # HELP feedcore_connections Open connections.
          # TYPE feedcore_connections gauge
          feedcore_connections 1.5
          feedcore_connections{protocol="http"} 3
          # HELP feedcore_requests_total Requests that were answered.
          # TYPE feedcore_requests_total counter
          feedcore_requests_total{route="a\\"b\\\\c\\nd"} 2
          # HELP waits Reported by the program.
          # TYPE waits histogram
          waits_bucket{kind="x",le="1.0"} 2
          waits_bucket{kind="x",le="10.0"} 3
          waits_bucket{kind="x",le="+Inf"} 4
          waits_sum{kind="x"} 103.5
          waits_count{kind="x"} 4

          """)
    }

    @Test("of swift-metrics are merged if names and labels are equal, and omitted if types differ")
    func factory() {
      let registry = MetricsRegistry()
      for _ in 0..<2 { Counter(label: "a.b", factory: registry).increment() }
      Gauge(label: "a.b", factory: registry).record(7)
      Meter(label: "c", factory: registry).decrement(by: 2)
      CoreMetrics.Timer(label: "d", factory: registry).recordNanoseconds(1_500_000_000)
      let lines = registry.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(lines.prefix(2) == ["a_b 2", "c -2"])
      #expect(lines.suffix(2) == ["d_sum 1.5", "d_count 1"])
    }

    @Test("include the counters of a store")
    func store() throws {
      let registry = MetricsRegistry()
      let database = try FeedDatabase.openPrivate()
      try withMetricsFactory(registry) {
        for number in 0..<2 { try database.insertUniversities(number + 1) }
        try database.sweep()
      }
      let text = registry.text
      #expect(text.contains("\nfeedcore_published_generations_total 2\n"))
      #expect(text.contains("\nfeedcore_swept_generations_total 1\n"))
    }

    @Test("include the outcomes of fetches")
    func fetches() async throws {
      let registry = MetricsRegistry()
      let url = try #require(URL(string: "https://example.org/feed"))
      let loopback = try #require(URL(string: "http://localhost:1/image"))
      await withMetricsFactory(registry) {
        _ = try? await RemoteResource(url, client: SilentClient()).data()
        var options = AsyncHTTPTransport.Options()
        options.privateAddresses = .refused()
        let client = AsyncHTTPTransport(options)
        _ = try? await RemoteResource(loopback, client: client).data()
        await client.shutdown()
      }
      let text = registry.text
      #expect(text.contains("\nfeedcore_remote_fetches_total{outcome=\"refused\"} 1\n"))
      #expect(text.contains("\nfeedcore_remote_fetches_total{outcome=\"timeout\"} 1\n"))
      #expect(text.contains("\nfeedcore_remote_fetch_duration_seconds_count 2\n"))
    }
  }

  /// A client whose service never answers.
  private struct SilentClient: FeedHTTPClient {
    func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
      throw TransportError(.timeout, "the service did not answer")
    }
  }
#endif
