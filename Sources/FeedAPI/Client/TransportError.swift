public import FeedFeature

/// Why there was no response, or not all of it.
public struct TransportError: Error, Sendable, Hashable {
  /// What kind of failure it is.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The word that machine-readable reports use.
    public let rawValue: String
    /// A kind by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request cannot be sent as it is: its URL or a field of it is not one for HTTP.
    public static let request = Kind(rawValue: "request")
    /// No connection came to be: refused, unreachable, no such host, no agreement on TLS.
    public static let connection = Kind(rawValue: "connection")
    /// A time limit of ``HTTPTimeouts`` was met.
    public static let timeout = Kind(rawValue: "timeout")
    /// The connection ended before the response did.
    public static let closed = Kind(rawValue: "closed")
    /// Too many redirects, or a circle of them.
    public static let redirect = Kind(rawValue: "redirect")
    /// What came is not HTTP.
    public static let malformed = Kind(rawValue: "malformed")
    /// The client has been shut down.
    public static let shutDown = Kind(rawValue: "shutDown")
    /// Something else, which the reason names.
    public static let other = Kind(rawValue: "other")
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// What happened, in words for a person.
  public var reason: String

  /// Makes an error.
  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// True if the same request may succeed when it is sent again.
  public var isTransient: Bool { [.connection, .timeout, .closed].contains(kind) }
}

extension TransportError: ServiceFailure {
  /// True: without a whole response nobody knows what it would have been.
  public var isConnectivityFailure: Bool { true }
}

extension TransportError: CustomStringConvertible {
  public var description: String { reason }
}
