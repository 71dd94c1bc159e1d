#if Server
  import NIOCore
#endif

/// The part of a client's address that distinguishes clients.
enum ClientAddress: Hashable, Sendable {
  case ipv4(UInt32)
  /// The network of an IPv6 address. One host can use all 2^64 addresses of its network.
  case ipv6(network: UInt64)
  /// A Unix socket.
  case local
}

#if Server
  extension ClientAddress {
    /// The address of a connection's client. An IPv4-mapped IPv6 address counts as its IPv4
    /// address.
    init(_ address: SocketAddress?) {
      // All systems have the address at the same offset of `sockaddr_in` and `sockaddr_in6`, in
      // network byte order. The names of the members differ.
      switch address {
      case .v4(let address):
        self = withUnsafeBytes(of: address.address) { bytes -> ClientAddress in
          .ipv4(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        }
      case .v6(let address):
        self = withUnsafeBytes(of: address.address) { bytes -> ClientAddress in
          let network = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
          let rest = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
          guard network == 0, rest >> 32 == 0xFFFF else { return .ipv6(network: network) }
          return .ipv4(UInt32(truncatingIfNeeded: rest))
        }
      case .unixDomainSocket, nil:
        self = .local
      }
    }
  }
#endif
