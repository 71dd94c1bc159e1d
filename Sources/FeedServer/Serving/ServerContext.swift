#if Server
  import FeedCore
  import FeedRecord
  import Logging
  import Synchronization

  /// What all parts of a server share.
  final class ServerContext: Sendable {
    let store: ServedStore
    let configuration: ServerConfiguration
    let metrics = ServerMetrics()
    /// The services that feeds come from, by name.
    let sources: [FeedName: FeedSource]
    /// What asks the services; nil where no feed has one.
    let client: (any HTTPClient)?
    /// Fetches images that a feed names; nil where no feed has a service.
    let imageSource: ImageSource?
    /// The images that may be fetched.
    let imageURLs: ImageURLs
    /// The feeds as clients are to see them now.
    let feeds: CurrentFeeds
    /// Learns of each address that is listened at.
    private let announce: @Sendable (ServerMetrics.Transport, ListenAddress) -> Void
    /// The addresses that are not listened at yet.
    private let missingAddresses: Atomic<Int>
    private let stops = Atomic<Bool>(false)
    /// Part of every tag: with another public URL there are other links in what clients keep.
    let linkTag: String

    var logger: Logger { configuration.logger }

    init(
      _ store: ServedStore, _ configuration: ServerConfiguration,
      announce: @escaping @Sendable (ServerMetrics.Transport, ListenAddress) -> Void = { _, _ in }
    ) throws(StoreError) {
      self.store = store
      self.configuration = configuration
      linkTag = configuration.publicURL.map { Self.linkTag(Array($0.utf8)) } ?? ""
      imageURLs = ImageURLs(store)
      self.announce = announce
      missingAddresses = Atomic(
        configuration.http.count + configuration.httpSockets.count + configuration.resp.count
          + configuration.respSockets.count)
      guard !configuration.origins.isEmpty else {
        sources = [:]
        client = nil
        imageSource = nil
        feeds = CurrentFeeds(store, configuration, [:])
        return
      }
      var options = AsyncHTTPTransport.Options()
      options.timeouts.whole = configuration.loadTimeout
      let client = AsyncHTTPTransport(options)
      var sources: [FeedName: FeedSource] = [:]
      for (name, url) in configuration.origins {
        sources[name] = FeedSource(
          name, from: url, in: store.database, policy: configuration.policies[name], client: client)
      }
      self.sources = sources
      self.client = client
      feeds = CurrentFeeds(store, configuration, sources)
      // Only what a feed names is fetched for clients, and not what that points to.
      var direct = options
      direct.maximumRedirects = 0
      imageSource = ImageSource(
        try store.imagesToBeKept(), client: AsyncHTTPTransport(direct))
    }

    private static func linkTag(_ publicURL: [UInt8]) -> String {
      "-" + String(KeyHash.hash(publicURL.span.bytes), radix: 36)
    }

    /// Whether every address is listened at and nobody has asked the server to stop.
    var isReady: Bool { missingAddresses.load(ordering: .relaxed) <= 0 && !isStopping }

    /// Whether the server has been asked to stop.
    var isStopping: Bool { stops.load(ordering: .relaxed) }

    /// From now on the server is not ready.
    func stop() {
      guard !stops.exchange(true, ordering: .relaxed) else { return }
      ServiceManager.notify("STOPPING=1")
    }

    /// Each server says so for each of its addresses, with the port that it really has.
    func isListening(_ transport: ServerMetrics.Transport, at address: ListenAddress) {
      announce(transport, address)
      let missing = missingAddresses.subtract(1, ordering: .relaxed).newValue
      if missing == 0 { ServiceManager.notify("READY=1") }
    }
  }
#endif
