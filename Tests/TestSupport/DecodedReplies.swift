package import RESPWire

/// The result of decoding replies from bytes that arrive in parts.
package struct DecodedReplies: Equatable {
  /// A reply: its nodes, with the text of each.
  package struct Reply: Equatable {
    package let length: Int
    package let nodes: [RESPReplyDecoder.Node]
    package let texts: [[UInt8]]
  }

  package private(set) var replies: [Reply] = []
  package private(set) var error: RESPReplyError?

  /// - Parameter parts: the sizes of the parts, repeated after the last one
  package init(
    _ bytes: [UInt8], _ limits: RESPReplyLimits = RESPReplyLimits(), parts: [Int]
  ) {
    var decoder = RESPReplyDecoder(limits: limits)
    var received = 0
    var start = 0
    var turn = 0
    do throws(RESPReplyError) {
      while received < bytes.count {
        received = min(received + max(parts[turn % parts.count], 1), bytes.count)
        turn += 1
        while let length = try decoder.next(bytes.span.extracting(start..<received)) {
          precondition(length > 0 && start + length <= received, "a reply of no length")
          let reply = bytes[start..<start + length]
          let texts = decoder.nodes.map { node in
            Self.hasText(node)
              ? Array(reply.dropFirst(node.range.lowerBound).prefix(node.range.count)) : []
          }
          precondition(
            zip(decoder.nodes, texts).allSatisfy {
              !Self.hasText($0) || $0.range.count == $1.count
            },
            "a text lies outside of its reply")
          precondition(Self.isTree(decoder.nodes), "the nodes are not one element")
          replies.append(Reply(length: length, nodes: decoder.nodes, texts: texts))
          start += length
        }
        // The needed bytes have not arrived, otherwise the reply would be complete.
        if let needed = decoder.neededBytes {
          precondition(needed > received - start, "the decoder needs bytes that it has")
        }
      }
    } catch {
      self.error = error
    }
  }

  private static func hasText(_ node: RESPReplyDecoder.Node) -> Bool {
    switch node.kind {
    case .status, .error, .blob, .bigNumber: true
    case .integer, .double, .boolean, .null, .array, .set, .map, .push: false
    }
  }

  private static func isTree(_ nodes: [RESPReplyDecoder.Node]) -> Bool {
    var missing = 1
    for node in nodes {
      guard missing > 0 else { return false }
      missing -= 1
      switch node.kind {
      case .array, .set, .map, .push: missing += Int(node.count)
      default: break
      }
    }
    return missing == 0
  }
}

/// Sample replies.
package enum ReplySamples {
  package static let all: [[UInt8]] = [
    "+OK\r\n", "-ERR unknown command\r\n", ":0\r\n", ":-9223372036854775808\r\n", "$-1\r\n",
    "*-1\r\n", "_\r\n", "#t\r\n", "#f\r\n", ",1.5e3\r\n", ",inf\r\n", ",nan\r\n",
    "(12345678901234567890123\r\n", "$0\r\n\r\n", "$4\r\n\r\n\0+\r\n", "!9\r\nERR wrong\r\n",
    "=8\r\ntxt:abcd\r\n", "*0\r\n", "*2\r\n$1\r\na\r\n*1\r\n:1\r\n", "~2\r\n+a\r\n+b\r\n",
    "%2\r\n+a\r\n:1\r\n+b\r\n%0\r\n", "|1\r\n+ttl\r\n:5\r\n$1\r\na\r\n",
    "*2\r\n|1\r\n+a\r\n*1\r\n+b\r\n:1\r\n:2\r\n",
    ">2\r\n$10\r\ninvalidate\r\n*1\r\n$3\r\nfc:\r\n", ">2\r\n$10\r\ninvalidate\r\n_\r\n",
    "-MOVED 12182 127.0.0.1:7001\r\n", "$?\r\n", "*2147483648\r\n", "$99999999999999\r\n",
    "*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "%1\r\n*1\r\n+k\r\n_\r\n",
  ].map { Array($0.utf8) }
}
