#if Server
  import FeedStorage
  import HTTPTypes
  import JSONStream

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The resources for operating a server.
  struct StatusRoutes: Sendable {
    let context: ServerContext

    /// `GET /healthz`: whether the process responds.
    func health() -> HTTPAnswer { Self.plain(.ok, "ok") }

    /// `GET /readyz`: whether the server should receive requests. It must be listening, not
    /// stopping, and able to read the store.
    func readiness() -> HTTPAnswer {
      if context.isStopping { return Self.plain(.serviceUnavailable, "stopping") }
      guard context.isReady else { return Self.plain(.serviceUnavailable, "starting") }
      guard !context.store.database.isClosed else {
        return Self.plain(.serviceUnavailable, "the store was replaced or cannot be opened")
      }
      do throws(StoreError) {
        _ = try context.store.database.feedNames()
        return Self.plain(.ok, "ready")
      } catch {
        return Self.plain(.serviceUnavailable, "the store cannot be read: \(error.code)")
      }
    }

    /// `GET /metrics`
    func metrics() -> HTTPAnswer {
      HTTPAnswer(
        fields: [
          .contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store",
        ], body: .bytes(Array((context.metrics.registry.text + feedMetrics).utf8)))
    }

    /// The feeds at the present time. They may be published by other processes, and removed.
    private var feedMetrics: String {
      let registry = MetricsRegistry()
      let now = Date().timeIntervalSinceReferenceDate
      for feed in (try? context.store.database.feeds()) ?? [] {
        let labels = [("feed", feed.name.text)]
        registry.gauge("feedcore_feed_records", labels).set(Double(feed.recordCount))
        registry.gauge("feedcore_feed_generation", labels).set(Double(feed.generation))
        registry.gauge("feedcore_feed_age_seconds", labels)
          .set(max(now - feed.referenceSeconds, 0).rounded())
      }
      return registry.text
    }

    /// `GET /openapi.json`
    func description(_ request: APIRequest) async throws -> HTTPAnswer {
      let isGuarded = context.configuration.credentials != nil
      let document = isGuarded ? OpenAPIDocument.guarded : .open
      let representation = Representation(
        mediaType: "application/json", tag: document.tag,
        cacheControl: "\(isGuarded ? "private" : "public"), max-age=3600", isPacked: true)
      return try await request.answer(representation) { _ in .bytes(document.text) }
    }

    private static func plain(_ status: HTTPResponse.Status, _ text: String) -> HTTPAnswer {
      HTTPAnswer(
        status,
        fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
        body: .bytes(Array((text + "\n").utf8)))
    }
  }
#endif
