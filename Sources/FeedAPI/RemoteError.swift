public import FeedFeature
public import JSONStream

/// Why a remote resource was not loaded: the service could not be reached, or what it sent cannot
/// be used (the "No connectivity" and "Invalid data" courses of the apps).
public struct RemoteError: Error, Sendable, Hashable {
  /// The two kinds that the apps tell apart.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// No response, or not all of one.
    case connectivity
    /// A whole response of a status or content that is not the contract's.
    case invalidData
  }

  /// What lies behind it.
  public enum Cause: Error, Sendable, Hashable {
    /// The transport's failure.
    case transport(TransportError)
    /// A status that is not the contract's.
    case status(Int)
    /// The payload breaks its contract, is no JSON, or its compression is damaged; with the place.
    case payload(JSONError)
    /// A body of no bytes, where there must be some.
    case emptyBody
    /// The body is longer than its limit, in bytes.
    case tooLarge(limit: Int)
    /// A content coding that was not asked for, such as `br`.
    case contentCoding(String)
    /// The content is of another kind than was expected; says which.
    case content(String)
  }

  /// Where it was to be loaded from, without credentials and query, which may hold secrets.
  public var resource: String
  /// What lies behind it.
  public var cause: Cause

  /// Makes an error.
  public init(resource: String, _ cause: Cause) {
    self.resource = resource
    self.cause = cause
  }

  /// Which of the two kinds it is, by its cause.
  public var kind: Kind {
    if case .transport = cause { .connectivity } else { .invalidData }
  }
}

extension RemoteError: ServiceFailure {
  /// True for ``Kind/connectivity``.
  public var isConnectivityFailure: Bool { kind == .connectivity }
}

extension RemoteError: CustomStringConvertible {
  /// The resource and the cause, in words for a person.
  public var description: String {
    // A parser's error names the resource itself, with the place in it.
    if case .payload(let error) = cause { return error.description }
    return "\(resource): \(cause)"
  }
}

extension RemoteError.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .transport(let error): error.reason
    case .status(let code): "the service answered with status \(code)"
    case .payload(let error): error.description
    case .emptyBody: "the service answered with no data"
    case .tooLarge(let limit): "the response is longer than the limit of \(limit) bytes"
    case .contentCoding(let name): "the response is packed as \(name), which was not asked for"
    case .content(let reason): reason
    }
  }
}
