#if Server
  import FeedAPI
  import FeedCore
  import FeedRecord
  import FeedStorage
  import Logging
  import Synchronization
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The state that all parts of a server share.
  final class ServerContext: Sendable {
    let store: ServedStore
    let configuration: ServerConfiguration
    let metrics: ServerCounters
    /// The sources of feeds with a service, by name.
    let sources: [FeedName: FeedSource]
    /// The client of the services; nil if no feed has one.
    let client: (any FeedHTTPClient)?
    /// Fetches images that a feed names; nil if no feed has a service.
    private let imageSource: ImageSource?
    /// The same for images at the host and port of the feed's own service, which may be private.
    private let ownImageSource: ImageSource?
    /// The images that may be fetched.
    let imageURLs: ImageURLs
    /// The requests for comments in progress.
    let commentRequests = SingleFlight<ImageOfFeed, [ImageComment]>()
    /// The feeds for clients at the present time.
    let feeds: FeedRefresher
    let authenticator: Authenticator
    /// Receives each listening address.
    private let announce: @Sendable (ServerTransport, ListenAddress) -> Void
    /// The number of addresses that are not listening yet.
    private let missingAddresses: Atomic<Int>
    private let stops = Atomic<Bool>(false)
    /// A part of every entity tag: another public URL changes the links in stored responses.
    let linkTag: String
    /// The fields of all responses. Pages of an allowed origin may also read why one failed.
    ///
    /// They do not depend on the request, so caches need no `Vary`.
    let commonFields: [(name: String, value: String)]

    var logger: Logger { configuration.logger }

    init(
      _ store: ServedStore, _ configuration: ServerConfiguration,
      announce: @escaping @Sendable (ServerTransport, ListenAddress) -> Void = { _, _ in }
    ) throws(StoreError) {
      self.store = store
      self.configuration = configuration
      metrics = ServerCounters(configuration.metrics ?? MetricsRegistry())
      authenticator = Authenticator(
        credentials: CurrentCredentials(configuration.credentials))
      linkTag = configuration.publicURL.map { Self.linkTag(Array($0.utf8)) } ?? ""
      commonFields =
        configuration.allowedOrigin.map { origin in
          [("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "*")]
        } ?? []
      imageURLs = ImageURLs(store)
      self.announce = announce
      missingAddresses = Atomic(
        configuration.http.count + configuration.httpSockets.count + configuration.resp.count
          + configuration.respSockets.count)
      guard !configuration.origins.isEmpty else {
        sources = [:]
        client = nil
        imageSource = nil
        ownImageSource = nil
        feeds = FeedRefresher(store, configuration)
        return
      }
      var options = AsyncHTTPTransport.Options()
      options.timeouts.whole = configuration.loadTimeout
      let client = AsyncHTTPTransport(options)
      var sources: [FeedName: FeedSource] = [:]
      for (name, url) in configuration.origins {
        sources[name] = FeedSource(
          name, from: url, in: store.database, policy: configuration.policies[name], client: client,
          limits: BodyLimits(bytes: configuration.maximumBodyBytes))
      }
      self.sources = sources
      self.client = client
      feeds = FeedRefresher(
        store, configuration, sources,
        PassedQueries(store.database, configuration, sources, client))
      // Only URLs that a feed names are fetched for clients, and not the targets of redirects.
      var direct = options
      direct.maximumRedirects = 0
      let images = try store.writableImages()
      let ownImages = ImageSource(images, client: AsyncHTTPTransport(direct))
      ownImageSource = ownImages
      direct.privateAddresses = .refused()
      imageSource =
        configuration.allowsPrivateImages
        ? ownImages : ImageSource(images, client: AsyncHTTPTransport(direct))
    }

    /// Whether images are fetched at all.
    var fetchesImages: Bool { imageSource != nil }

    /// The source that fetches the image at a URL; nil if no feed names it or images are not
    /// fetched.
    ///
    /// - Throws: as ``ImageURLs/contain(_:in:)``
    func imageSource(for url: URL, named text: String) async throws(StoreError) -> ImageSource? {
      let owners = configuration.origins.filter { PrivateAddressRule.isSameService($0.value, url) }
      if !owners.isEmpty, try await imageURLs.contain(text, in: Set(owners.keys)) {
        return ownImageSource
      }
      return try await imageURLs.contain(text) ? imageSource : nil
    }

    private static func linkTag(_ publicURL: [UInt8]) -> String {
      "-" + String(KeyHash.hash(publicURL.span.bytes), radix: 36)
    }

    /// Whether every address is listening and the server has not been asked to stop.
    var isReady: Bool { missingAddresses.load(ordering: .relaxed) <= 0 && !isStopping }

    /// Whether the server has been asked to stop.
    var isStopping: Bool { stops.load(ordering: .relaxed) }

    /// From now on the server is not ready.
    func stop() {
      guard !stops.exchange(true, ordering: .relaxed) else { return }
      ServiceManager.notify("STOPPING=1")
    }

    /// Each server reports each of its addresses here, with the actual port.
    func isListening(_ transport: ServerTransport, at address: ListenAddress) {
      announce(transport, address)
      let missing = missingAddresses.subtract(1, ordering: .relaxed).newValue
      if missing == 0 { ServiceManager.notify("READY=1") }
    }
  }
#endif
