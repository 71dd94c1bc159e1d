// A fast path for the most frequent command.
extension RESPDecoder {
  /// The key of a `GET` command with exactly one key, and the end of the command.
  package struct Get: Sendable {
    package let key: Range<Int>
    package let end: Int

    /// An empty key.
    package init() { self.init(key: 0..<0, end: 0) }

    init(key: Range<Int>, end: Int) {
      self.key = key
      self.end = end
    }
  }

  /// The maximum length of a key; a longer key is parsed by `next` only.
  private static let longestKey = 999

  /// Parses a `GET` at an offset, if it is complete and has the form that all clients send.
  ///
  /// - Returns: nil for any other input, which `next` parses or rejects. Also nil inside a command
  ///   that has already begun, and if the limits do not allow the command.
  package func get(in bytes: Span<UInt8>, at start: Int) -> Get? {
    guard position == 0, !limits.isUnauthenticated, limits.arguments >= 2,
      start + Self.head.count + 4 <= bytes.count, Self.isHead(bytes, at: start)
    else { return nil }
    var place = start + Self.head.count
    var count = 0
    while place < bytes.count, bytes[place] != UInt8(ascii: "\r") {
      let digit = bytes[place] &- UInt8(ascii: "0")
      guard digit <= 9, count > 0 || digit > 0 else { return nil }
      count = 10 * count + Int(digit)
      guard count <= Self.longestKey else { return nil }
      place += 1
    }
    let key = place + 2..<place + 2 + count
    let end = key.upperBound + 2
    guard count > 0, end <= bytes.count, count <= limits.bulkBytes,
      end - start <= limits.commandBytes, bytes[place + 1] == UInt8(ascii: "\n"),
      bytes[end - 2] == UInt8(ascii: "\r"), bytes[end - 1] == UInt8(ascii: "\n")
    else { return nil }
    return Get(key: key, end: end)
  }

  /// The bytes before the length of the key, with the name in lower case.
  private static var head: InlineArray<14, UInt8> {
    [
      0x2A, 0x32, 0x0D, 0x0A, 0x24, 0x33, 0x0D, 0x0A, 0x67, 0x65, 0x74, 0x0D, 0x0A, 0x24,
    ]
  }

  private static func isHead(_ bytes: Span<UInt8>, at start: Int) -> Bool {
    let head = head
    var difference: UInt8 = 0
    for index in 0..<head.count {
      // In the name, the bit that distinguishes lower and upper case is ignored.
      let open: UInt8 = (8..<11).contains(index) ? 0x20 : 0
      difference |= (bytes[start + index] | open) ^ head[index]
    }
    return difference == 0
  }
}
