public import FeedFeature
public import JSONStream

/// Why a remote resource was not loaded: the service could not be reached, or its data cannot be
/// used (the "No connectivity" and "Invalid data" courses of the apps).
public struct RemoteError: Error, Sendable, Hashable {
  /// The two kinds that the apps distinguish.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// No complete response.
    case connectivity
    /// A complete response with a status or content that violates the contract.
    case invalidData
  }

  /// The cause of the error.
  public enum Cause: Error, Sendable, Hashable {
    /// The transport's failure.
    case transport(TransportError)
    /// A status that violates the contract.
    case status(Int)
    /// The payload violates its contract, is not JSON, or its compression is damaged; includes the
    /// position.
    case payload(JSONError)
    /// An empty body where at least one byte is required.
    case emptyBody
    /// The body is longer than its limit, in bytes.
    case tooLarge(limit: Int)
    /// A content coding that was not requested, such as `br`.
    case contentCoding(String)
    /// The content is of another kind than expected; the text describes it.
    case content(String)
  }

  /// The URL without credentials and query, which may hold secrets.
  public var resource: String
  /// The cause of the error.
  public var cause: Cause
  /// What the service says about a refused status: its code and message, short and without control
  /// characters. Nil if it says nothing.
  public var serviceMessage: String?
  /// How long the service asks to wait before another request (`Retry-After`); nil if it does not.
  public var retryAfter: Duration?

  /// Makes an error.
  public init(
    resource: String, _ cause: Cause, serviceMessage: String? = nil, retryAfter: Duration? = nil
  ) {
    self.resource = resource
    self.cause = cause
    self.serviceMessage = serviceMessage
    self.retryAfter = retryAfter
  }

  /// True if the status of the response is successful but its body reports a failure.
  public var isFailedAnswer: Bool {
    if case .payload(let error) = cause { error.kind == .failedAnswer } else { false }
  }

  /// The kind, which follows from the cause.
  public var kind: Kind {
    if case .transport = cause { .connectivity } else { .invalidData }
  }
}

extension RemoteError: ServiceFailure {
  /// True for ``Kind/connectivity``.
  public var isConnectivityFailure: Bool { kind == .connectivity }
}

extension RemoteError: CustomStringConvertible {
  /// The resource and the cause, for a person.
  public var description: String {
    // A parser's error names the resource itself, with the position in it.
    if case .payload(let error) = cause { return error.description }
    var text = "\(resource): \(cause)"
    if let serviceMessage { text += ": \(serviceMessage)" }
    if let retryAfter {
      let seconds = Int((retryAfter / .seconds(1)).rounded(.up))
      text += " (it may be asked again after \(seconds) s)"
    }
    return text
  }
}

extension RemoteError.Cause: CustomStringConvertible {
  /// The names of statuses that have a remedy (RFC 9110, section 15; RFC 6585).
  private static let names = [
    401: "unauthorized", 403: "forbidden", 404: "not found", 410: "gone", 429: "too many requests",
    500: "internal server error", 502: "bad gateway", 503: "service unavailable",
    504: "gateway timeout",
  ]

  private static func named(_ code: Int) -> String {
    names[code].map { "\(code) (\($0))" } ?? "\(code)"
  }

  public var description: String {
    switch self {
    case .transport(let error): error.reason
    case .status(let code): "the service answered with status \(Self.named(code))"
    case .payload(let error): error.description
    case .emptyBody: "the service answered with no data"
    case .tooLarge(let limit):
      "the response is longer than the limit of \(limit) bytes (a feed's is raised with"
        + " --max-body-bytes)"
    case .contentCoding(let name): "the response is packed as \(name), which was not asked for"
    case .content(let reason): reason
    }
  }
}
