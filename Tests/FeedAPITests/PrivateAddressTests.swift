#if Remote
  import FeedAPI
  import Foundation
  import LoopbackServer
  import Synchronization
  import Testing

  @Suite("Private addresses", .timeLimit(.minutes(5)))
  struct PrivateAddressTests {
    @Test(
      "are the special-purpose addresses of IANA's registries, also embedded in IPv6",
      arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
        "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
        "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1",
        "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::", "2002:c0a8:101::1", "3fff::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1",
        "febf::1", "fec0::1", "ff02::1",
      ])
    func privateAddress(text: String) throws {
      #expect(try #require(NetworkAddress(text)).isPublic == false)
    }

    @Test(
      "do not include the adjacent addresses",
      arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2001:200::1",
        "2001:db9::1", "2606:2800:220:1::1", "2a00:1450::1", "3ffe::1",
      ])
    func publicAddress(text: String) throws {
      #expect(try #require(NetworkAddress(text)).isPublic)
    }

    private static func refusing(
      exceptAt services: [URL] = [], on network: PublicConnections.Network = .init()
    ) -> AsyncHTTPTransport.Options {
      var options = AsyncHTTPTransport.Options()
      options.privateAddresses = .refused(exceptAt: services)
      options.network = network
      return options
    }

    private static let image: LoopbackServer.Answer = { _ in ServedResponse(text: "image") }

    private func transportError(_ body: () async throws -> Void) async -> TransportError? {
      do {
        try await body()
        return nil
      } catch {
        return error as? TransportError
      }
    }

    @Test(
      "are refused in every notation, without a request",
      arguments: [
        "127.0.0.1", "localhost", "LOCALHOST", "127.1", "2130706433", "0x7f.1", "0177.0.0.1",
        "0.0.0.0", "0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "127%2e0.0.1",
      ])
    func refused(host: String) async throws {
      try await withServer(Self.refusing(), answer: Self.image) {
        server, client in
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "http://\(host):\(port)/image"))
        let error = await transportError { _ = try await client.get(FeedHTTPRequest(url)) }
        #expect(error?.kind == .refused, "\(String(describing: error))")
        #expect(error?.isTransient == false)
        #expect(server.requests.isEmpty)
      }
    }

    @Test("are allowed only at the host and port of the service, also after a redirect")
    func exempt() async throws {
      let other = try await LoopbackServer { _ in ServedResponse(text: "secret") }
      let own = try await LoopbackServer { request in
        switch request.path {
        case "/a": ServedResponse(text: "image")
        case "/b": .redirect(to: "/a")
        default: .redirect(to: other.url("/a").absoluteString)
        }
      }
      let client = AsyncHTTPTransport(Self.refusing(exceptAt: [own.url("/feed")]))
      for path in ["/a", "/b"] {
        #expect(try await client.get(FeedHTTPRequest(own.url(path))).status == 200)
      }
      for url in [own.url("/c"), other.url("/a")] {
        let error = await transportError { _ = try await client.get(FeedHTTPRequest(url)) }
        #expect(error?.kind == .refused)
      }
      #expect(other.requests.isEmpty)
      await client.shutdown()
      await own.stop()
      await other.stop()
    }

    /// A network in which the loopback addresses of tests are public.
    private static func network(
      _ answers: @escaping @Sendable (Int) -> [String]
    ) -> (PublicConnections.Network, AtomicCount) {
      let count = AtomicCount()
      var network = PublicConnections.Network()
      network.lookUp = { _ in answers(count.next()).compactMap { NetworkAddress($0) } }
      network.isPublic = { ["127.0.0.1", "127.0.0.2"].contains($0.text) || $0.isPublic }
      return (network, count)
    }

    @Test("are not reached by a name whose address changes after the check")
    func rebinding() async throws {
      // Only the first lookup returns the server's address. The system cannot resolve the name.
      let (network, count) = Self.network { $0 == 1 ? ["127.0.0.1"] : ["10.0.0.1"] }
      try await withServer(Self.refusing(on: network), answer: Self.image) {
        server, client in
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "http://rebinding.invalid:\(port)/image"))
        for _ in 0..<3 { #expect(try await client.get(FeedHTTPRequest(url)).status == 200) }
        let hosts = server.requests.map { $0.fields["host"] }
        #expect(hosts == Array(repeating: "rebinding.invalid:\(port)", count: 3))
        #expect(count.value == 1)
      }
    }

    @Test("are refused if they are one of several addresses of a name")
    func mixed() async throws {
      let (network, _) = Self.network { _ in ["127.0.0.1", "10.0.0.1"] }
      try await withServer(Self.refusing(on: network), answer: Self.image) {
        server, client in
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "http://mixed.invalid:\(port)/image"))
        let error = await transportError { _ = try await client.get(FeedHTTPRequest(url)) }
        #expect(error?.kind == .refused)
        #expect(error?.reason.contains("10.0.0.1") == false)
        #expect(server.requests.isEmpty)
      }
    }

    @Test("a name with several public addresses reaches the one that listens")
    func several() async throws {
      // Nothing listens at the first one.
      let (network, _) = Self.network { _ in ["127.0.0.2", "127.0.0.1"] }
      try await withServer(Self.refusing(on: network), answer: Self.image) {
        server, client in
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "http://several.invalid:\(port)/image"))
        #expect(try await client.get(FeedHTTPRequest(url)).status == 200)
      }
    }

    @Test("a name without an address causes a connection error")
    func unknown() async throws {
      let client = AsyncHTTPTransport(Self.refusing())
      let url = try #require(URL(string: "http://nowhere.invalid/image"))
      let error = await transportError { _ = try await client.get(FeedHTTPRequest(url)) }
      #expect(error?.kind == .connection)
      await client.shutdown()
      let late = await transportError { _ = try await client.get(FeedHTTPRequest(url)) }
      #expect(late != nil)
    }
  }

  /// Counts calls.
  private final class AtomicCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }
#endif
