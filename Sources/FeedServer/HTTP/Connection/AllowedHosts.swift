#if Server
  import NIOCore

  /// The names under which clients on this machine may address a server without credentials.
  ///
  /// A web page can give its own name the address 127.0.0.1. The browser then treats the responses
  /// of this server as that page's own (DNS rebinding). Only the name in the request reveals it:
  /// no page owns the names of the loopback interface.
  struct AllowedHosts: Sendable {
    private static let localSuffix = ".localhost"
    /// The names in lower case, with a port where only that port is meant.
    private let names: Set<String>

    /// The names that apply to a server; nil if its clients need credentials, which no page has.
    init?(_ configuration: ServerConfiguration) {
      guard configuration.credentials == nil else { return nil }
      var names = Set(configuration.allowedHosts.map { Self.name($0).whole })
      if let url = configuration.publicURL, let authority = RequestTarget.authority(of: url) {
        names.insert(Self.name(authority).host)
      }
      self.names = names
    }

    /// Whether clients may use this host with an optional port.
    func contains(_ authority: some StringProtocol) -> Bool {
      let name = Self.name(authority)
      let address = name.host.hasPrefix("[") ? String(name.host.dropFirst().dropLast()) : name.host
      return ListenAddress.tcp(host: address, port: 0).isLocal
        || name.host.hasSuffix(Self.localSuffix) && name.host.count > Self.localSuffix.count
        || names.contains(name.host) || names.contains(name.whole)
    }

    /// The host, and the host with its port. Case and a final dot make no difference (RFC 9110,
    /// section 4.2.3; RFC 1034, section 3.1).
    private static func name(_ authority: some StringProtocol) -> (host: String, whole: String) {
      let text = authority.lowercased()
      let end = text.lastIndex(of: "]").map { text.index(after: $0) } ?? text.startIndex
      let colon = text[end...].firstIndex(of: ":") ?? text.endIndex
      var host = text[..<colon]
      if host.hasSuffix("."), host.count > 1 { host.removeLast() }
      return (String(host), String(host) + text[colon...])
    }
  }

  extension Channel {
    /// Whether a client on this machine has connected over the loopback interface.
    var isLoopback: Bool {
      guard let address = localAddress?.ipAddress else { return false }
      let mapped = "::ffff:"
      let host = address.hasPrefix(mapped) ? String(address.dropFirst(mapped.count)) : address
      return ListenAddress.tcp(host: host, port: 0).isLocal
    }
  }
#endif
