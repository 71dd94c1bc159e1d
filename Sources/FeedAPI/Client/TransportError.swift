public import FeedFeature

/// Why there was no complete response.
public struct TransportError: Error, Sendable, Hashable {
  /// The kind of a failure.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The word for machine-readable reports.
    public let rawValue: String
    /// A kind from its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request cannot be sent: its URL or a field is not valid for HTTP.
    public static let request = Kind(rawValue: "request")
    /// No connection was established: refused, unreachable, unknown host, or TLS failure.
    public static let connection = Kind(rawValue: "connection")
    /// A time limit of ``HTTPTimeouts`` expired.
    public static let timeout = Kind(rawValue: "timeout")
    /// The connection ended before the response did.
    public static let closed = Kind(rawValue: "closed")
    /// Too many redirects, or a redirect loop.
    public static let redirect = Kind(rawValue: "redirect")
    /// The host is not at a public address, and ``PrivateAddressRule`` refuses that. Nothing was
    /// sent.
    public static let refused = Kind(rawValue: "refused")
    /// The response is not HTTP.
    public static let malformed = Kind(rawValue: "malformed")
    /// The client has been shut down.
    public static let shutDown = Kind(rawValue: "shutDown")
    /// Another failure, which the reason describes.
    public static let other = Kind(rawValue: "other")
  }

  /// The kind of the failure.
  public var kind: Kind
  /// A description for a person.
  public var reason: String

  /// Makes an error.
  public init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }

  /// True if the same request may succeed when sent again.
  public var isTransient: Bool { [.connection, .timeout, .closed].contains(kind) }
}

extension TransportError: ServiceFailure {
  /// True: without a complete response, its content is unknown.
  public var isConnectivityFailure: Bool { true }
}

extension TransportError: CustomStringConvertible {
  public var description: String { reason }
}
