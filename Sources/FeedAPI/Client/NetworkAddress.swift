#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An IP address.
package struct NetworkAddress: Hashable, Sendable {
  /// 4 or 16 bytes, in network order.
  private let bytes: [UInt8]
  /// The numeric form, without brackets.
  package let text: String

  /// Nil if the text is not an address in its numeric form.
  package init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
    } else {
      return nil
    }
    self.text = text
  }

  /// All addresses of a host, in the order in which the system prefers them. Blocks.
  ///
  /// It also understands the forms of an address that are not numeric, such as `127.1`.
  package static func lookUp(_ host: String) throws(TransportError) -> [NetworkAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var first: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &first)
    guard code == 0 else {
      throw TransportError(
        .connection, "no address of \(host) was found: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(first) }
    var addresses: [NetworkAddress] = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ai_next
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let isNamed = getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
      let digits = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let text = String(decoding: digits, as: UTF8.self)
      // An address with a zone is not numeric in this sense. It belongs to a link, so it is
      // private.
      guard isNamed == 0, let address = NetworkAddress(text) else {
        throw TransportError.privateAddress(of: host)
      }
      if !addresses.contains(address) { addresses.append(address) }
    }
    guard !addresses.isEmpty else {
      throw TransportError(.connection, "no address of \(host) was found")
    }
    return addresses
  }

  /// Whether the address is reachable from any network, by IANA's registries of special-purpose
  /// addresses (RFC 6890). Loopback, link-local, shared, private, documentation, multicast and
  /// reserved addresses are not. An IPv6 address that contains an IPv4 address is public only if
  /// the IPv4 address is.
  package var isPublic: Bool {
    if bytes.count == 4 { return Self.isPublic(bytes[...]) }
    // Mapped addresses (RFC 4291, section 2.5.5.2) and those of a translator (RFC 6052).
    if isIn([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96)
      || isIn([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96)
    {
      return Self.isPublic(bytes[12...])
    }
    // Only 2000::/3 is assigned.
    guard isIn([0x20], 3) else { return false }
    // 6to4 (RFC 3056).
    if isIn([0x20, 0x02], 16) { return Self.isPublic(bytes[2..<6]) }
    // Protocol assignments, among them Teredo; documentation (RFC 3849, RFC 9637).
    return !isIn([0x20, 0x01, 0, 0], 23) && !isIn([0x20, 0x01, 0x0D, 0xB8], 32)
      && !isIn([0x3F, 0xFF, 0], 20)
  }

  private static let specialRanges: [(first: UInt32, bits: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
    (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
    (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
  ]

  private static func isPublic(_ bytes: ArraySlice<UInt8>) -> Bool {
    let address = bytes.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return !specialRanges.contains { range in
      (address ^ range.first) >> (32 - range.bits) == 0
    }
  }

  private func isIn(_ prefix: [UInt8], _ bits: Int) -> Bool {
    for (index, byte) in prefix.enumerated() {
      let rest = min(bits - index * 8, 8)
      if rest <= 0 { break }
      guard (bytes[index] ^ byte) >> (8 - UInt8(rest)) == 0 else { return false }
    }
    return true
  }
}

extension TransportError {
  /// The message omits the address, which is information about the private network.
  static func privateAddress(of host: String) -> TransportError {
    TransportError(
      .refused,
      "\(host) is not at a public address, so nothing was sent there (--allow-private-images"
        + " allows it)")
  }
}
