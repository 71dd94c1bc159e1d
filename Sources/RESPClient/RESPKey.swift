/// A key with its slot.
package struct RESPKey: Hashable, Sendable {
  package let bytes: [UInt8]
  package let slot: RESPSlot

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    slot = RESPSlot(ofKey: bytes.span)
  }

  package init(_ text: String) { self.init(Array(text.utf8)) }
}

extension RESPKey: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}

/// One of the 16 384 hash slots of a cluster.
package struct RESPSlot: Hashable, Sendable {
  package static let count = 16_384

  package let number: Int

  /// - Returns: nil for a number that no slot has
  package init?(_ number: Int) {
    guard (0..<Self.count).contains(number) else { return nil }
    self.number = number
  }

  /// The slot of a key: that of its hash tag, if it has one that is not empty.
  package init(ofKey key: Span<UInt8>) {
    var tag = key
    if let open = Self.firstIndex(of: UInt8(ascii: "{"), in: key, from: 0),
      let close = Self.firstIndex(of: UInt8(ascii: "}"), in: key, from: open + 1), close > open + 1
    {
      tag = key.extracting(open + 1..<close)
    }
    number = Int(Self.crc16(tag)) % Self.count
  }

  private static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < bytes.count {
      if bytes[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// CRC-16/XMODEM, as the specification of Redis Cluster requires.
  private static func crc16(_ bytes: Span<UInt8>) -> UInt16 {
    var crc: UInt16 = 0
    for index in bytes.indices {
      crc = crc << 8 ^ table[Int(UInt8(crc >> 8) ^ bytes[index])]
    }
    return crc
  }

  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { crc, _ in
      crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021
    }
  }
}

extension RESPSlot: CustomStringConvertible {
  package var description: String { "\(number)" }
}

/// The address of a server.
package struct RESPNode: Hashable, Sendable {
  package let host: String
  package let port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `host:port`, `[address]:port` or, as in redirections, `address:port` with colons in an
  /// IPv6 address.
  ///
  /// - Parameter fallback: the host of the sender, which an empty host means
  package init?(_ text: some StringProtocol, fallback: String? = nil) {
    guard let colon = text.lastIndex(of: ":"),
      let port = Int(text[text.index(after: colon)...]), (1...65_535).contains(port)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host.isEmpty || host == "?" {
      guard let fallback else { return nil }
      host = fallback
    }
    self.init(host: host, port: port)
  }
}

extension RESPNode: CustomStringConvertible {
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
