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
  /// Redirects are followed. To another origin only those fields of a request are sent on that say
  /// how to answer, such as `Accept` and `If-None-Match`: neither credentials nor fields of a
  /// service's own, such as an `X-Api-Key`. The name and password of a URL are sent by the Basic
  /// scheme (RFC 7617), unless the request has an `Authorization`.
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
    private let maximumRedirects: Int

    /// A transport with connections of its own, which ``shutdown()`` closes; so does letting go of
    /// the transport, in the background.
    public init(_ options: Options = Options()) {
      var configuration = AsyncHTTPClient.HTTPClient.Configuration()
      configuration.timeout.connect = TimeAmount(options.timeouts.connect)
      // They are followed here, where it is known which fields may go where.
      configuration.redirectConfiguration = .disallow
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
      maximumRedirects = options.maximumRedirects
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
      let start = ContinuousClock.now
      var request = try request.movingCredentialsOfURL()
      var visited: Set = [request.url]
      while true {
        let handle = FetchHandle(ResponseFetch(timeouts, after: .now - start))
        handle.fetch.start(client, try Self.outgoing(request))
        let head = try await handle.fetch.head()
        guard maximumRedirects > 0, let next = request.redirected(by: head.status, head.fields)
        else {
          return HTTPResponse(
            status: head.status, fields: head.fields,
            body: HTTPBody { try await handle.fetch.nextChunk() }, url: request.url)
        }
        guard visited.count <= maximumRedirects else {
          throw TransportError(.redirect, "more than \(maximumRedirects) redirects")
        }
        guard visited.insert(next.url).inserted else {
          throw TransportError(.redirect, "the redirects lead in a circle")
        }
        try await Self.skipBody(of: handle.fetch)
        request = next
      }
    }

    /// A connection whose response has been read serves the next request, too. What is longer than
    /// a redirect has reason to be is not worth that.
    private static func skipBody(of fetch: ResponseFetch) async throws {
      var count = 0
      while count < 16 << 10, let chunk = try await fetch.nextChunk() { count += chunk.count }
    }

    private static func outgoing(
      _ request: HTTPRequest
    ) throws(TransportError) -> AsyncHTTPClient.HTTPClient.Request {
      // Below it other schemes would be taken too, which lead to sockets of this machine, and a port
      // that is none would end the process.
      guard Origin(request.url) != nil else {
        throw TransportError(.request, "\(request.url.absoluteString) is no URL for HTTP")
      }
      var headers = HTTPHeaders()
      for field in request.fields.all {
        guard HTTPFields.Field(line: "\(field.name):\(field.value)") != nil else {
          throw TransportError(.request, "a field of it is no header field")
        }
        headers.add(name: field.name, value: field.value)
      }
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
