public import FeedSchema
import JSONStream

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A resource of a service, and the rules by which a response is accepted.
///
/// All loaders of this module use it. A program with its own consumer of a feed, such as a store
/// that ingests it, streams it by the same rules:
///
/// ```swift
/// let push = parser.push(named: resource.name) { batch in … }
/// let answer = try await resource.stream(ifChangedSince: kept) { piece in
///   try push.feed(piece.span.bytes)
/// } finish: { _ in
///   try push.finish()
/// }
/// ```
public struct RemoteResource: Sendable {
  /// The request for the resource.
  public var request: FeedHTTPRequest
  /// The accepted statuses.
  public var statuses: StatusRule
  /// The maximum length of the body.
  public var limits: BodyLimits
  /// True if the content may be a compressed file, of gzip or zstd, without a content coding that
  /// declares it. Such a file is detected by its first bytes and decompressed, as an ingest does
  /// with a file. False by default, because a caller may want the file itself. The loaders of feeds
  /// set it: no JSON text begins with those bytes.
  public var unpacksFiles = false
  private let client: any FeedHTTPClient
  private let now: @Sendable () -> Date

  /// Makes a resource.
  ///
  /// - Parameters:
  ///   - request: the request. Unless it states otherwise, gzip and deflate are accepted and the
  ///     user agent is FeedCore.
  ///   - client: fetches the resource.
  ///   - statuses: the accepted statuses; exactly 200 by default.
  ///   - limits: the maximum length of the body.
  ///   - now: the clock for the time of a response.
  public init(
    _ request: FeedHTTPRequest, client: any FeedHTTPClient, statuses: StatusRule = .ok,
    limits: BodyLimits = .stream, now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.request = request
    self.client = client
    self.statuses = statuses
    self.limits = limits
    self.now = now
  }

  /// Makes a resource of a URL.
  public init(
    _ url: URL, client: any FeedHTTPClient, statuses: StatusRule = .ok, limits: BodyLimits = .stream
  ) {
    self.init(FeedHTTPRequest(url), client: client, statuses: statuses, limits: limits)
  }

  /// The resource's name in errors: its URL without credentials, query and fragment, which may hold
  /// secrets.
  public var name: String {
    guard var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else {
      return "the resource"
    }
    (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
    return parts.string ?? "the resource"
  }

  /// Streams the decoded content. Only the chunk that `consume` has is in memory; nothing more is
  /// received while `consume` runs.
  ///
  /// Neither closure is called if the service cannot be reached or its status is not accepted.
  /// `finish` is called when the body is complete, and not if the task is cancelled before.
  ///
  /// - Parameters:
  ///   - validators: the validators of the request; without any, the answer is never `notModified`.
  ///     If the service answers "not modified" for different validators, the request is repeated
  ///     without validators.
  ///   - consume: receives the next chunk of the content, at least one byte.
  ///   - finish: receives the metadata of the complete content and returns the result.
  /// - Throws: ``RemoteError``, also for a `JSONError` of the closures; `CancellationError` if the
  ///   task was cancelled; any other error of the closures unchanged.
  public func stream<Content>(
    ifChangedSince validators: ResponseValidators = ResponseValidators(),
    into consume: ([UInt8]) async throws -> Void, finish: (ResponseMetadata) async throws -> Content
  ) async throws -> RemoteAnswer<Content> {
    let event = FetchEvent(of: name)
    do {
      let answer = try await fetch(validators, into: consume, finish: finish)
      event.end(with: answer)
      return answer
    } catch {
      let error = described(error)
      event.end(with: error)
      throw error
    }
  }

  private func fetch<Content>(
    _ validators: ResponseValidators, into consume: ([UInt8]) async throws -> Void,
    finish: (ResponseMetadata) async throws -> Content
  ) async throws -> RemoteAnswer<Content> {
    let response = try await response(to: outgoing(validators))
    var metadata = ResponseMetadata(response.fields, receivedAt: now())
    if response.status == 304, !validators.isEmpty {
      guard isConfirmed(validators, by: response, metadata) else {
        return try await fetch(ResponseValidators(), into: consume, finish: finish)
      }
      metadata.validators = validators.updated(by: metadata.validators)
      return .notModified(metadata)
    }
    guard statuses.accepts(response.status) else {
      throw try await RefusedStatus(response, mediaType: metadata.mediaType, named: name)
    }
    var content = try ContentReader(
      response, limits, unpacksFiles: unpacksFiles, named: name)
    while let piece = try await content.next() {
      try Task.checkCancellation()
      if !piece.isEmpty { try await consume(piece) }
    }
    try Task.checkCancellation()
    return .modified(try await finish(metadata), metadata)
  }

  /// Whether a "not modified" response refers to these validators. A service that reports other
  /// validators has not compared them, or has different content (RFC 9111, section 4.3.4). After
  /// redirects the response must contain validators, since the target may differ each time.
  private func isConfirmed(
    _ validators: ResponseValidators, by response: FeedHTTPResponse, _ metadata: ResponseMetadata
  ) -> Bool {
    metadata.validators.isOfSameContent(as: validators) ?? !isElsewhere(response)
  }

  /// Whether a response comes from another resource than the requested one. Credentials and
  /// fragments do not distinguish resources.
  private func isElsewhere(_ response: FeedHTTPResponse) -> Bool {
    func place(_ url: URL) -> URLComponents? {
      guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
      (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
      return parts
    }
    return response.url.map { place($0) != place(request.url) } ?? false
  }

  private func outgoing(_ validators: ResponseValidators) -> FeedHTTPRequest {
    var request = request.ifChanged(since: validators)
    let defaults = [("Accept-Encoding", "gzip, deflate"), ("User-Agent", "FeedCore")]
    for (name, value) in defaults where request.fields[name] == nil {
      request.fields[name] = value
    }
    return request
  }

  private func response(to request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    do {
      return try await client.get(request)
    } catch {
      throw RemoteError.Cause(transport: error) ?? error
    }
  }

  private func described(_ error: any Error) -> any Error {
    switch error {
    case let cause as RemoteError.Cause:
      // A failure caused by cancellation says nothing about the service.
      Task.isCancelled ? CancellationError() : RemoteError(resource: name, cause)
    case let refused as RefusedStatus: refused.error(of: name)
    case let error as JSONError: RemoteError(resource: name, .payload(error))
    default: error
    }
  }
}

extension RemoteError.Cause {
  /// The cause for any error of a client; nil for a cancellation.
  init?(transport error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as TransportError: self = .transport(error)
    default: self = .transport(TransportError(.other, "\(error)"))
    }
  }
}
