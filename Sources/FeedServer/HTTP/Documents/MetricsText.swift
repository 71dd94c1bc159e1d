#if Server
  import FeedStorage

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The counters in the text format of Prometheus.
  ///
  /// Exposition formats: <https://prometheus.io/docs/instrumenting/exposition_formats/>
  struct MetricsText {
    private var text = ""

    static func text(of context: ServerContext) -> String {
      var lines = MetricsText()
      lines.addServer(context.metrics)
      lines.addStore(context)
      return lines.text
    }

    private mutating func addServer(_ metrics: ServerMetrics) {
      begin("feedcore_requests_total", "counter", "Requests that were answered.")
      for count in metrics.requestCounts {
        add(
          "feedcore_requests_total",
          [
            ("protocol", count.transport.rawValue), ("route", count.route),
            ("outcome", count.outcome),
          ], count.value)
      }
      begin("feedcore_refusals_total", "counter", "Clients that did not get what they wanted.")
      for transport in ServerMetrics.Transport.allCases {
        for refusal in Refusal.allCases {
          add(
            "feedcore_refusals_total",
            [("protocol", transport.rawValue), ("reason", refusal.rawValue)],
            metrics.refusals(refusal, of: transport))
        }
      }
      addEach("feedcore_connections", "gauge", "Connections that are open.") {
        metrics.openConnections($0)
      }
      addEach("feedcore_connections_total", "counter", "Connections that there have been.") {
        metrics.acceptedConnections($0)
      }
      addEach("feedcore_received_bytes_total", "counter", "Bytes that clients have sent.") {
        metrics.receivedBytes($0)
      }
      addEach("feedcore_sent_bytes_total", "counter", "Bytes that clients were sent.") {
        metrics.sentBytes($0)
      }
      let lookups = metrics.lookupCounts
      begin("feedcore_lookups_total", "counter", "Records and images that were looked up.")
      add("feedcore_lookups_total", [("result", "hit")], lookups.hits)
      add("feedcore_lookups_total", [("result", "miss")], lookups.misses)
      begin("feedcore_hot_answers_total", "counter", "Answers of HTTP that were at hand.")
      text += "feedcore_hot_answers_total \(metrics.hotAnswers)\n"
      addDurations(metrics)
    }

    private mutating func addDurations(_ metrics: ServerMetrics) {
      let name = "feedcore_request_duration_seconds"
      begin(name, "histogram", "How long it took until an answer began.")
      // RESP answers some commands in a microsecond. Reading the clock would be a considerable part
      // of that.
      for transport in [ServerMetrics.Transport.http] {
        let durations = metrics.durations(transport)
        let bounds = MetricHistogram.bounds.map { "\($0)" } + ["+Inf"]
        let counts = durations.cumulated
        for (bound, count) in zip(bounds, counts) {
          add("\(name)_bucket", [("protocol", transport.rawValue), ("le", bound)], count)
        }
        add("\(name)_sum", [("protocol", transport.rawValue)], "\(durations.seconds)")
        add("\(name)_count", [("protocol", transport.rawValue)], counts.last ?? 0)
      }
    }

    private mutating func addStore(_ context: ServerContext) {
      guard let feeds = try? context.store.database.feeds() else { return }
      let now = Date().timeIntervalSinceReferenceDate
      begin("feedcore_feed_records", "gauge", "The records of a feed.")
      for feed in feeds {
        add("feedcore_feed_records", [("feed", feed.name.text)], feed.recordCount)
      }
      begin("feedcore_feed_generation", "gauge", "The generation of a feed that is served.")
      for feed in feeds {
        add("feedcore_feed_generation", [("feed", feed.name.text)], "\(feed.generation)")
      }
      begin("feedcore_feed_age_seconds", "gauge", "How long ago a feed was current.")
      for feed in feeds {
        add(
          "feedcore_feed_age_seconds", [("feed", feed.name.text)],
          "\(max(now - feed.referenceSeconds, 0).rounded())")
      }
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func addEach(
      _ name: String, _ type: String, _ help: String, _ value: (ServerMetrics.Transport) -> Int
    ) {
      begin(name, type, help)
      for transport in ServerMetrics.Transport.allCases {
        add(name, [("protocol", transport.rawValue)], value(transport))
      }
    }

    private mutating func add(_ name: String, _ labels: [(String, String)], _ value: Int) {
      add(name, labels, "\(value)")
    }

    // The labels need no escapes: names of feeds, routes and statuses contain no quotes.
    private mutating func add(_ name: String, _ labels: [(String, String)], _ value: String) {
      let all = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
      text += "\(name){\(all)} \(value)\n"
    }
  }
#endif
