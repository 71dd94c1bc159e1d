#if Remote
  import AsyncHTTPClient
  import NIOCore
  import Synchronization
  import Threading

  /// The connections of a transport that connects to public addresses only.
  ///
  /// async-http-client looks up names itself, with each connection, and cannot be stopped between
  /// the look-up and the connection. This type therefore looks up and verifies a name itself. A
  /// separate client connects to the verified address, which `dnsOverride` sets. The request and
  /// the certificate check still use the host name. All clients share the same threads.
  package final class PublicConnections: Sendable {
    /// How names are looked up, and which addresses are public.
    package struct Network: Sendable {
      package var lookUp: @Sendable (String) throws -> [NetworkAddress] = {
        try NetworkAddress.lookUp($0)
      }
      package var isPublic: @Sendable (NetworkAddress) -> Bool = { $0.isPublic }

      /// Uses the system's look-up and the registries of ``NetworkAddress/isPublic``.
      package init() {}
    }

    /// A client whose requests to one host go to one address. It is shut down when its last user
    /// releases it.
    final class Pinned: Sendable {
      let client: HTTPClient

      fileprivate init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(configuration: configuration)
      }

      deinit { client.shutdown { _ in } }
    }

    private struct Route: Hashable {
      var host: String
      var address: NetworkAddress
    }

    private struct State {
      var addresses: [String: (verified: [NetworkAddress], until: ContinuousClock.Instant)] = [:]
      var clients: [Route: Pinned] = [:]
      var isShutDown = false
    }

    /// How long a verified address is used without another look-up.
    private static let lifetime = Duration.seconds(60)
    /// The number of names, or of clients, at which expired names or unused clients are dropped. If
    /// no name has expired, all names are dropped.
    private static let maximumCount = 64

    private let configuration: HTTPClient.Configuration
    private let network: Network
    private let state = Mutex(State())
    private let lookUps = SingleFlight<String, [NetworkAddress]>()

    init(_ configuration: HTTPClient.Configuration, _ network: Network) {
      self.configuration = configuration
      self.network = network
    }

    /// The addresses of a host, all of them public.
    ///
    /// - Parameters:
    ///   - host: the name, or the address in brackets if it is of IPv6.
    ///   - limit: the time limit of the look-up.
    /// - Throws: ``TransportError``, of the kind `refused` if an address is not public.
    func addresses(of host: String, within limit: Duration) async throws -> [NetworkAddress] {
      let bare = Self.bare(host)
      if let address = NetworkAddress(bare) { return try verified([address], of: host) }
      if let known = state.withLock({ $0.addresses[host] }), known.until > .now {
        return known.verified
      }
      // The system's look-up cannot be cancelled: its thread ends later.
      let lookUp = SharedTask { [self] in
        try await lookUps.value(for: bare) { [network] in
          try await onWorkerThread { try network.lookUp(bare) }
        }
      }
      defer { lookUp.cancel() }
      guard let found = try await lookUp.value(within: limit) else {
        throw TransportError(.timeout, "no address of \(host) was found within \(limit)")
      }
      let addresses = try verified(found, of: host)
      state.withLock { state in
        if state.addresses.count >= Self.maximumCount {
          state.addresses = state.addresses.filter { $0.value.until > .now }
          if state.addresses.count >= Self.maximumCount { state.addresses = [:] }
        }
        state.addresses[host] = (addresses, .now + Self.lifetime)
      }
      return addresses
    }

    private static func bare(_ host: String) -> String {
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    private func verified(
      _ addresses: [NetworkAddress], of host: String
    ) throws(TransportError) -> [NetworkAddress] {
      guard !addresses.isEmpty, addresses.allSatisfy(network.isPublic) else {
        throw .privateAddress(of: host)
      }
      return addresses
    }

    /// The client that connects to an address for a host.
    func client(for host: String, at address: NetworkAddress) throws(TransportError) -> Pinned {
      let route = Route(host: host, address: address)
      let pinned: Pinned? = state.withLock { state in
        guard !state.isShutDown else { return nil }
        if let pinned = state.clients[route] { return pinned }
        if state.clients.count >= Self.maximumCount { Self.dropUnused(&state.clients) }
        var configuration = configuration
        // Overrides only a name: an address needs no look-up, and is not a host name for TLS.
        if NetworkAddress(Self.bare(host)) == nil {
          configuration.dnsOverride = [host: address.text]
        }
        let pinned = Pinned(configuration)
        state.clients[route] = pinned
        return pinned
      }
      guard let pinned else { throw TransportError(.shutDown, "the client has been shut down") }
      return pinned
    }

    private static func dropUnused(_ clients: inout [Route: Pinned]) {
      for route in clients.keys {
        guard var pinned = clients.removeValue(forKey: route) else { continue }
        if !isKnownUniquelyReferenced(&pinned) { clients[route] = pinned }
      }
    }

    /// Closes all connections and returns when they are closed.
    func shutdown() async {
      let clients = state.withLock { state in
        defer { state.clients = [:] }
        state.isShutDown = true
        return Array(state.clients.values)
      }
      for pinned in clients {
        await withCheckedContinuation { continuation in
          pinned.client.shutdown { _ in continuation.resume() }
        }
      }
    }
  }
#endif
