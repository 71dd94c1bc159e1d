#if Remote
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import NIOSSL

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Fetches over HTTP/1.1 and HTTP/2, with TLS, by async-http-client.
  ///
  /// It keeps connections open for further requests, so it is made once and used for all of them.
  /// Redirects of GET requests are followed; credentials are not sent on to another origin.
  /// Part of the package trait `Remote`.
  public final class AsyncHTTPTransport: HTTPClient {
    /// How requests are made.
    public struct Options: Sendable {
      /// How long each part of a request may take.
      public var timeouts = HTTPTimeouts()
      /// Redirects that one request follows; with 0 a redirect is a response like any other.
      public var maximumRedirects = 5
      /// Connections to one host at once. A request beyond that waits for one to be free, as long
      /// as it may take to connect.
      public var connectionsPerHost = 8
      /// The path of a file of certificates (PEM) that are trusted in place of the system's, such as
      /// that of a company's own authority. Where it cannot be read, no connection comes to be.
      public var trustedCertificates: String?

      /// The defaults.
      public init() {}
    }

    private let client: AsyncHTTPClient.HTTPClient
    private let timeouts: HTTPTimeouts

    /// A transport with connections of its own, which ``shutdown()`` closes; so does letting go of
    /// the transport, in the background.
    public init(_ options: Options = Options()) {
      var configuration = AsyncHTTPClient.HTTPClient.Configuration()
      configuration.timeout.connect = TimeAmount(options.timeouts.connect)
      configuration.redirectConfiguration =
        options.maximumRedirects > 0
        ? .follow(max: options.maximumRedirects, allowCycles: false) : .disallow
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
        options.connectionsPerHost, 1)
      if let path = options.trustedCertificates {
        var security = TLSConfiguration.makeClientConfiguration()
        security.trustRoots = .file(path)
        configuration.tlsConfiguration = security
      }
      // A refused connection is told at once; whether to try again is a RetryPolicy's matter.
      configuration.connectionPool.retryConnectionEstablishment = false
      // Bodies are inflated where their limits are kept, piece by piece.
      configuration.decompression = .disabled
      client = AsyncHTTPClient.HTTPClient(configuration: configuration)
      timeouts = options.timeouts
    }

    deinit {
      // Without an effect if it has been shut down.
      client.shutdown { _ in }
    }

    /// Closes all connections; returns when they are closed. Requests that are under way fail, and
    /// so do later ones, with the kind `shutDown`.
    public func shutdown() async {
      await withCheckedContinuation { continuation in
        client.shutdown { _ in continuation.resume() }
      }
    }

    public func get(_ request: HTTPRequest) async throws -> HTTPResponse {
      // Once begun, a request may be sent before it is known that nobody wants it any more.
      try Task.checkCancellation()
      let fetch = ResponseFetch(timeouts)
      let handle = FetchHandle(fetch)
      fetch.start(client, try Self.outgoing(request))
      let head = try await fetch.head()
      return HTTPResponse(
        status: Int(head.status), fields: head.fields,
        body: HTTPBody { try await handle.fetch.nextChunk() }, url: URL(string: head.url))
    }

    private static func outgoing(
      _ request: HTTPRequest
    ) throws(TransportError) -> AsyncHTTPClient.HTTPClient.Request {
      var headers = HTTPHeaders()
      for field in request.fields.all { headers.add(name: field.name, value: field.value) }
      do {
        return try .init(url: request.url.absoluteString, method: .GET, headers: headers)
      } catch {
        throw TransportError(.request, "\(error)")
      }
    }
  }

  /// Gives a fetch up when nobody keeps its response any more.
  private final class FetchHandle: Sendable {
    let fetch: ResponseFetch

    init(_ fetch: ResponseFetch) { self.fetch = fetch }

    deinit { fetch.giveUp() }
  }
#endif
