public import FeedPayloads
import JSONStream

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A resource of a service, and the rules by which a response is taken for it.
///
/// All loaders of this module go through it. Whoever has a consumer of their own for a feed, such
/// as a store that ingests it, streams it by the same rules:
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
  /// What is asked for, and how.
  public var request: HTTPRequest
  /// Which statuses are taken.
  public var statuses: StatusRule
  /// How long the body may be.
  public var limits: BodyLimits
  /// True if the content may be a file that is packed by itself, as gzip, and not said to be: it is
  /// told by its first bytes and read as what it holds, as an ingest does with a file. False by
  /// default, as such a content may be wanted as it is; the loaders of feeds set it, since no JSON
  /// text begins so.
  public var unpacksFiles = false
  private let client: any HTTPClient
  private let now: @Sendable () -> Date

  /// Makes a resource.
  ///
  /// - Parameters:
  ///   - request: what to ask for. Where it does not say otherwise, gzip and deflate are accepted
  ///     and the user agent is FeedCore.
  ///   - client: what fetches it.
  ///   - statuses: which statuses are taken; exactly 200 by default.
  ///   - limits: how long the body may be.
  ///   - now: the clock by which a response gets its time.
  public init(
    _ request: HTTPRequest, client: any HTTPClient, statuses: StatusRule = .ok,
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
    _ url: URL, client: any HTTPClient, statuses: StatusRule = .ok, limits: BodyLimits = .stream
  ) {
    self.init(HTTPRequest(url), client: client, statuses: statuses, limits: limits)
  }

  /// What errors call it: its URL without credentials, query and fragment, which may hold secrets.
  public var name: String {
    guard var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else {
      return "the resource"
    }
    (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
    return parts.string ?? "the resource"
  }

  /// Passes the content on as it comes, its content coding undone. No more of it is held than the
  /// piece that `consume` has; while `consume` takes its time, nothing more is received.
  ///
  /// Neither closure is called where the service cannot be reached or its status is not taken.
  /// `finish` is called when the body is whole, and not if the task is cancelled before.
  ///
  /// - Parameters:
  ///   - validators: what to ask with; without any, the answer is never `notModified`. Where the
  ///     service says "not modified" of something else than they are of, it is asked again without
  ///     them.
  ///   - consume: takes the next piece of the content, at least one byte.
  ///   - finish: learns that the content is whole and what the service says of it, and gives what
  ///     has become of it.
  /// - Throws: ``RemoteError``, also for a `JSONError` of the closures; `CancellationError` where
  ///   the task was cancelled; any other error of the closures as it is.
  public func stream<Content>(
    ifChangedSince validators: ResponseValidators = ResponseValidators(),
    into consume: ([UInt8]) async throws -> Void, finish: (ResponseMetadata) async throws -> Content
  ) async throws -> RemoteAnswer<Content> {
    do {
      let response = try await response(to: outgoing(validators))
      var metadata = ResponseMetadata(response.fields, receivedAt: now())
      if response.status == 304, !validators.isEmpty {
        guard isConfirmed(validators, by: response, metadata) else {
          return try await stream(into: consume, finish: finish)
        }
        metadata.validators = validators.updated(by: metadata.validators)
        return .notModified(metadata)
      }
      guard statuses.accepts(response.status) else {
        throw RemoteError.Cause.status(response.status)
      }
      var content = try ContentReader(
        response, limits, unpacksFiles: unpacksFiles, named: name)
      while let piece = try await content.next() {
        try Task.checkCancellation()
        if !piece.isEmpty { try await consume(piece) }
      }
      try Task.checkCancellation()
      return .modified(try await finish(metadata), metadata)
    } catch {
      throw described(error)
    }
  }

  /// Whether a response that says "not modified" says so of what the validators are of: a service
  /// that tells other ones has not compared them, or has something else by now (RFC 9111, section
  /// 4.3.4). What redirects lead to has to tell them, since it may be another thing each time.
  private func isConfirmed(
    _ validators: ResponseValidators, by response: HTTPResponse, _ metadata: ResponseMetadata
  ) -> Bool {
    metadata.validators.isOfSameContent(as: validators) ?? !isElsewhere(response)
  }

  /// Whether a response is of another resource than was asked for. Credentials name none.
  private func isElsewhere(_ response: HTTPResponse) -> Bool {
    func place(_ url: URL) -> URLComponents? {
      guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
      (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
      return parts
    }
    return response.url.map { place($0) != place(request.url) } ?? false
  }

  private func outgoing(_ validators: ResponseValidators) -> HTTPRequest {
    var request = request.ifChanged(since: validators)
    let defaults = [("Accept-Encoding", "gzip, deflate"), ("User-Agent", "FeedCore")]
    for (name, value) in defaults where request.fields[name] == nil {
      request.fields[name] = value
    }
    return request
  }

  private func response(to request: HTTPRequest) async throws -> HTTPResponse {
    do {
      return try await client.get(request)
    } catch {
      throw RemoteError.Cause(transport: error) ?? error
    }
  }

  private func described(_ error: any Error) -> any Error {
    switch error {
    case let cause as RemoteError.Cause:
      // What a request fails with when it is cancelled is no news of the service.
      Task.isCancelled ? CancellationError() : RemoteError(resource: name, cause)
    case let error as JSONError: RemoteError(resource: name, .payload(error))
    default: error
    }
  }
}

extension RemoteError.Cause {
  /// The cause for an error of a client, whichever it throws; nil for a cancellation.
  init?(transport error: any Error) {
    switch error {
    case is CancellationError: return nil
    case let error as TransportError: self = .transport(error)
    default: self = .transport(TransportError(.other, "\(error)"))
    }
  }
}
