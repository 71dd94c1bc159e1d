#if Server
  public import FeedFeature
  public import FeedStorage
  public import Logging

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// What a server serves, at which addresses, and within which limits.
  ///
  /// The defaults name no address. There is no TLS: a server that other machines reach needs
  /// ``credentials``, and a proxy in front of it.
  public struct ServerConfiguration: Sendable {
    /// The addresses for HTTP.
    public var http: [ListenAddress] = []
    /// Inherited listening sockets for HTTP.
    package var httpSockets: [InheritedSocket] = []
    /// The addresses for RESP.
    public var resp: [ListenAddress] = []
    /// Inherited listening sockets for RESP.
    package var respSockets: [InheritedSocket] = []
    var speaksHTTP: Bool { !http.isEmpty || !httpSockets.isEmpty }
    var speaksRESP: Bool { !resp.isEmpty || !respSockets.isEmpty }
    /// The permissions of the files of Unix sockets that the server makes.
    public var socketPermissions = SocketPermissions()
    /// The prefix of links to this server, such as `https://feeds.example.org`, if there is a proxy
    /// in front of it; nil for `http` and the requested host.
    public var publicURL: String?
    /// Further names of this server, with an optional port each, such as `feeds.test:8080`.
    ///
    /// Without ``credentials``, clients on the same machine must address it by a name of the
    /// loopback interface, by the host of ``publicURL``, or by one of these. Web pages could
    /// otherwise read it under a name of their own (DNS rebinding).
    public var allowedHosts: [String] = []
    /// The origin whose web pages may read responses, such as `https://app.example.org`, or `*` for
    /// all; nil for none but the server's own.
    public var allowedOrigin: String?
    /// The maximum number of connections of each protocol.
    public var maximumConnections = 4096
    /// The memory of the response caches of both protocols together.
    public var cacheBytes = 64 << 20
    /// The share of each protocol in use.
    var cacheBytesOfProtocol: Int { speaksHTTP && speaksRESP ? cacheBytes / 2 : cacheBytes }
    /// The maximum number of responses that are cached as open files.
    var sharedResponses = 64
    /// The timeout of a response until it begins, and of its reader until it receives more.
    public var requestTimeout = Duration.seconds(30)
    /// The timeout of a response that waits for a service. It leaves time to report a failure.
    var serviceTimeout: Duration { requestTimeout * 3 / 4 }
    /// The time limit of a query that reads many records, with its wait for other queries.
    public var queryTimeout = Duration.seconds(5)
    /// The maximum number of bytes of records that a query reads.
    public var maximumQueryBytes = 8 << 30
    /// The timeout of a service for a whole feed, also when no request waits for it.
    public var loadTimeout = Duration.seconds(900)
    /// The maximum length of a feed from a service, also after its decompression.
    public var maximumBodyBytes = 4 << 30
    /// The accepted credentials; nil if none are required.
    public var credentials: Credentials?
    /// The services of the feeds.
    public var origins: [FeedName: URL] = [:]
    /// Whether images on private networks are fetched, other than those at the host and port of the
    /// service of a feed that names them.
    public var allowsPrivateImages = false
    /// The policies of cached feeds; those of the apps if not set.
    public var policies: [FeedName: CachePolicy] = [:]
    /// How long a feed from a service is served without asking again.
    public var freshness = Duration.seconds(60)
    /// The delay before a service that has just answered or failed is asked again. It also applies
    /// to requests for the latest feed, which any client can send.
    public var minimumRefreshInterval = Duration.seconds(5)
    /// The time limit for requests in progress once the server has been asked to stop.
    public var drainDeadline = Duration.seconds(10)
    /// The metrics that `/metrics` shows; nil for those of the server alone.
    package var metrics: MetricsRegistry?
    /// The logger of the server.
    public var logger = Logger(label: "feedcore.serve")

    /// The defaults, without an address.
    public init() {}
  }
#endif
