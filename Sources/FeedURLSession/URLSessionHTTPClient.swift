public import FeedAPI

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Fetches with `URLSession`, for a program that already uses it: with its proxies, its cookie
/// policy, or the protocols that a test registers.
///
/// ```swift
/// let client = URLSessionHTTPClient(configuration: .ephemeral)
/// let images = try await RemoteFeedLoader<FeedImage>(url: url, client: client).load()
/// ```
///
/// Its rules are those of `AsyncHTTPTransport`. Redirects are followed, and one to another origin
/// forwards only the fields that describe the wanted response. The name and password of a URL are
/// sent with the Basic scheme. Nothing comes from the session's cache, since the loaders of
/// `FeedAPI` make conditional requests themselves. The session decompresses bodies, so the limit on
/// received bytes applies to decompressed ones.
///
/// On Linux, the `URLSession` of FoundationNetworking depends on libcurl, and data that arrives
/// faster than it is read waits in memory. Neither is true of `AsyncHTTPTransport`.
public final class URLSessionHTTPClient: FeedHTTPClient {
  private let session: URLSession
  private let fetches = SessionFetches()
  private let maximumRedirects: Int

  /// Makes a client with its own session, which ends with the client and its last response.
  ///
  /// - Parameters:
  ///   - configuration: of the session. It has the time limits.
  ///   - maximumRedirects: of one request. With 0, a redirect is returned like any other response.
  public init(configuration: URLSessionConfiguration = .default, maximumRedirects: Int = 5) {
    session = URLSession(configuration: configuration, delegate: fetches, delegateQueue: nil)
    self.maximumRedirects = maximumRedirects
  }

  deinit {
    // A session holds its delegate until it is invalidated.
    session.finishTasksAndInvalidate()
  }

  public func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    try Task.checkCancellation()
    var request = try request.movingCredentialsOfURL()
    var visited: Set = [request.url]
    while true {
      let handle = SessionFetchHandle(fetches.start(Self.outgoing(request), session))
      let head = try await handle.fetch.head()
      let fields = Self.fields(of: head)
      guard maximumRedirects > 0, let next = request.redirected(by: head.statusCode, fields) else {
        return FeedHTTPResponse(
          status: head.statusCode, fields: fields,
          body: FeedHTTPBody { try await handle.fetch.nextChunk() }, url: request.url)
      }
      guard visited.count <= maximumRedirects else {
        throw TransportError(.redirect, "more than \(maximumRedirects) redirects")
      }
      guard visited.insert(next.url).inserted else {
        throw TransportError(.redirect, "the redirects lead in a circle")
      }
      request = next
    }
  }

  private static func outgoing(_ request: FeedHTTPRequest) -> URLRequest {
    var outgoing = URLRequest(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
    outgoing.httpShouldHandleCookies = false
    for field in request.fields.all {
      outgoing.addValue(field.value, forHTTPHeaderField: field.name)
    }
    return outgoing
  }

  /// The fields of a response, without those that describe the body before its decompression.
  private static func fields(of head: HTTPURLResponse) -> FeedHTTPFields {
    var fields = FeedHTTPFields()
    for (name, value) in head.allHeaderFields {
      if let name = name as? String, let value = value as? String { fields.add(name, value) }
    }
    if let coding = fields["Content-Encoding"]?.lowercased(), ["gzip", "deflate"].contains(coding) {
      fields["Content-Encoding"] = nil
      fields["Content-Length"] = nil
    }
    return fields
  }
}

/// Cancels a fetch when its response is released.
private final class SessionFetchHandle: Sendable {
  let fetch: SessionFetch

  init(_ fetch: SessionFetch) { self.fetch = fetch }

  deinit { fetch.giveUp() }
}
