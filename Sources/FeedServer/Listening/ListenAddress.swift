/// The protocols of a server.
public enum ServerTransport: String, CaseIterable, Sendable {
  case http, resp
}

/// Who may connect to a Unix socket: users who may write its file.
public struct SocketPermissions: Sendable, Hashable {
  /// The permission bits, such as `0o660`; nil for those that the umask of the process leaves.
  public var mode: UInt16?
  /// The number of the group; nil for that of the process.
  public var group: UInt32?

  /// Makes permissions.
  public init(mode: UInt16? = nil, group: UInt32? = nil) {
    self.mode = mode
    self.group = group
  }
}

/// An address at which a server listens.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host and a port; for port 0 the system chooses one.
  case tcp(host: String, port: Int)
  /// The path of a Unix socket.
  case unix(path: String)

  /// Parses `HOST:PORT`, with an IPv6 address in brackets; nil if invalid.
  public init?(hostAndPort text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self = .tcp(host: String(host), port: Int(port))
  }

  /// Whether other machines cannot reach it. A name other than `localhost` may stand for any
  /// address.
  public var isLocal: Bool {
    switch self {
    case .unix: true
    case .tcp("localhost", _), .tcp("::1", _): true
    case .tcp(let host, _):
      host.hasPrefix("127.") && host.split(separator: ".").count == 4
        && host.allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
    }
  }

  /// The URL for clients of a protocol. For a Unix socket, which has no URL, it is the path.
  package func url(of transport: ServerTransport) -> String {
    guard case .tcp = self else { return description }
    return switch transport {
    case .http: "http://\(self)"
    case .resp: "redis://\(self)"
    }
  }

  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}
