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

  /// Fetches over HTTP/1.1 and HTTP/2, with TLS, using async-http-client.
  ///
  /// It keeps connections open for further requests, so create one and share it. Redirects are
  /// followed. A redirect to another origin forwards only the fields that describe the wanted
  /// response, such as `Accept` and `If-None-Match`. It forwards neither credentials nor fields
  /// that a service defines, such as an `X-Api-Key`. The name and password of a URL are sent with
  /// the Basic scheme (RFC 7617), unless the request has an `Authorization`. Part of the package
  /// trait `Remote`.
  public final class AsyncHTTPTransport: FeedHTTPClient {
    /// How requests are made.
    public struct Options: Sendable {
      /// The time limit of each part of a request.
      public var timeouts = HTTPTimeouts()
      /// Maximum redirects of one request. With 0, a redirect is returned like any other response.
      public var maximumRedirects = 5
      /// Maximum connections to one host. Further requests wait for a free connection, at most for
      /// the connect timeout.
      public var connectionsPerHost = 8
      /// The path of a file of certificates (PEM) that are trusted instead of the system's, such as
      /// those of a private authority. If it cannot be read, every connection fails.
      public var trustedCertificates: String?
      /// Whether the transport connects to hosts on its own machine and network. By default it
      /// does, because the program chooses the URLs. Refuse them if a feed or another party chooses
      /// the URLs.
      public var privateAddresses = PrivateAddressRule.allowed
      /// When ``HTTPTimeouts/whole`` begins for all requests. By default it begins with each
      /// request.
      package var began: ContinuousClock.Instant?
      /// How names are looked up if private addresses are refused.
      package var network = PublicConnections.Network()

      /// The defaults.
      public init() {}
    }

    private let client: HTTPClient
    private let timeouts: HTTPTimeouts
    private let began: ContinuousClock.Instant?
    private let maximumRedirects: Int
    private let privateAddresses: PrivateAddressRule
    private let publicConnections: PublicConnections

    /// A transport with its own connections. ``shutdown()`` closes them; releasing the transport
    /// closes them in the background.
    public init(_ options: Options = Options()) {
      var configuration = HTTPClient.Configuration()
      configuration.timeout.connect = TimeAmount(options.timeouts.connect)
      // This type follows redirects itself, because it decides which fields to forward.
      configuration.redirectConfiguration = .disallow
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
        options.connectionsPerHost, 1)
      if let path = options.trustedCertificates {
        var security = TLSConfiguration.makeClientConfiguration()
        security.trustRoots = .file(path)
        configuration.tlsConfiguration = security
      }
      // A refused connection is reported at once; a RetryPolicy decides whether to try again.
      configuration.connectionPool.retryConnectionEstablishment = false
      // Bodies are decompressed where their limits are checked, chunk by chunk.
      configuration.decompression = .disabled
      client = HTTPClient(configuration: configuration)
      publicConnections = PublicConnections(configuration, options.network)
      privateAddresses = options.privateAddresses
      timeouts = options.timeouts
      began = options.began
      maximumRedirects = options.maximumRedirects
    }

    deinit {
      // No effect if it has been shut down.
      client.shutdown { _ in }
    }

    /// Closes all connections and returns when they are closed. Requests in progress and later ones
    /// fail with the kind `shutDown`.
    public func shutdown() async {
      await withCheckedContinuation { continuation in
        client.shutdown { _ in continuation.resume() }
      }
      await publicConnections.shutdown()
    }

    public func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
      // Once started, a request may be sent before its cancellation is noticed.
      try Task.checkCancellation()
      let start = began ?? .now
      var request = try request.movingCredentialsOfURL()
      var visited: Set = [request.url]
      while true {
        let (handle, head) = try await begin(request, since: start)
        guard maximumRedirects > 0, let next = request.redirected(by: head.status, head.fields)
        else {
          return FeedHTTPResponse(
            status: head.status, fields: head.fields,
            body: FeedHTTPBody { try await handle.fetch.nextChunk() }, url: request.url)
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

    /// Sends a request and returns when the head of the response arrives.
    private func begin(
      _ request: FeedHTTPRequest, since start: ContinuousClock.Instant
    ) async throws -> (FetchHandle, ResponseFetch.Head) {
      let outgoing = try Self.outgoing(request)
      if privateAddresses.exempts(request.url) {
        let handle = FetchHandle(ResponseFetch(timeouts, after: .now - start))
        handle.fetch.start(client, outgoing)
        return (handle, try await handle.fetch.head())
      }
      var addresses = try await publicConnections.addresses(
        of: outgoing.host, within: timeouts.connect)[...]
      while let address = addresses.popFirst() {
        let pinned = try publicConnections.client(for: outgoing.host, at: address)
        let handle = FetchHandle(ResponseFetch(timeouts, after: .now - start), pinned)
        handle.fetch.start(pinned.client, outgoing)
        do {
          return (handle, try await handle.fetch.head())
        } catch is TransportError where !addresses.isEmpty && !handle.fetch.isSent {
          // Nothing listens at this address of the host.
        }
      }
      throw TransportError(.connection, "no connection to \(outgoing.host)")
    }

    /// Reads the rest of a redirect, so that its connection can serve the next request. A body that
    /// is too long for a redirect is not worth reading.
    private static func skipBody(of fetch: ResponseFetch) async throws {
      var count = 0
      while count < 16 << 10, let chunk = try await fetch.nextChunk() { count += chunk.count }
    }

    private static func outgoing(
      _ request: FeedHTTPRequest
    ) throws(TransportError) -> HTTPClient.Request {
      // async-http-client also accepts schemes that lead to local sockets, and an invalid port ends
      // the process.
      guard Origin(request.url) != nil else {
        throw TransportError(.request, "\(request.url.absoluteString) is no URL for HTTP")
      }
      var headers = HTTPHeaders()
      for field in request.fields.all {
        guard FeedHTTPFields.Field(line: "\(field.name):\(field.value)") != nil else {
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

  /// Cancels a fetch when its response is released.
  private final class FetchHandle: Sendable {
    let fetch: ResponseFetch
    private let pinned: PublicConnections.Pinned?

    /// - Parameter pinned: the client of the request, which must outlive it.
    init(_ fetch: ResponseFetch, _ pinned: PublicConnections.Pinned? = nil) {
      self.fetch = fetch
      self.pinned = pinned
    }

    deinit { fetch.giveUp() }
  }
#endif
