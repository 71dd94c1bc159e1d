#if Cluster
  package import NIOCore
  import RESPWire

  /// A reply. Its texts refer to the received bytes and are not copies.
  package enum RESPReply: Hashable, Sendable {
    /// A line such as `OK`.
    case status(ByteBuffer)
    /// A bulk string or a verbatim string.
    case blob(ByteBuffer)
    case integer(Int)
    case double(Double)
    case boolean(Bool)
    /// The digits of a big number.
    case bigNumber(ByteBuffer)
    case null
    /// An array, a set or a push.
    case array([RESPReply])
    /// Keys and values by turns.
    case map([RESPReply])
    /// An error, also one inside an array.
    case error(RESPServerError)

    package var isNull: Bool { self == .null }

    package var isOK: Bool { if case .status(let text) = self { Self.isOK(text) } else { false } }

    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// The bytes of a status, blob or big number.
    package var bytes: ByteBuffer? {
      switch self {
      case .status(let text), .blob(let text), .bigNumber(let text): text
      default: nil
      }
    }

    /// The text of a status, blob or big number.
    package var text: String? { bytes.map { String(buffer: $0) } }

    /// The elements of an array or map; nil for any other reply.
    package var elements: [RESPReply]? {
      switch self {
      case .array(let elements), .map(let elements): elements
      default: nil
      }
    }

    /// The value of a key of a map, or of an array of keys and values as RESP2 has it.
    package subscript(key: String) -> RESPReply? {
      guard let elements else { return nil }
      for index in stride(from: 0, to: elements.count - 1, by: 2) where elements[index].text == key
      {
        return elements[index + 1]
      }
      return nil
    }

    /// Passes the bytes of a status, blob or big number.
    package func withBytes<R, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> R
    ) throws(Failure) -> R? {
      guard let bytes else { return nil }
      return try body(bytes.readableBytesSpan)
    }

    private static func isOK(_ text: ByteBuffer) -> Bool {
      text.readableBytesView.elementsEqual("OK".utf8)
    }
  }

  extension RESPReply {
    /// Makes a reply of its nodes.
    ///
    /// - Parameter bytes: a buffer whose readable bytes start with the reply
    init(_ nodes: [RESPReplyDecoder.Node], _ bytes: ByteBuffer) {
      var next = 0
      self = Self.reply(nodes, bytes, &next)
    }

    // The decoder limits the depth. A missing node, which is impossible, is read as null.
    private static func reply(
      _ nodes: [RESPReplyDecoder.Node], _ bytes: ByteBuffer, _ next: inout Int
    ) -> RESPReply {
      guard next < nodes.count else { return .null }
      let node = nodes[next]
      next += 1
      switch node.kind {
      case .status: return .status(text(node, bytes))
      case .blob: return .blob(text(node, bytes))
      case .bigNumber: return .bigNumber(text(node, bytes))
      case .error: return .error(RESPServerError(String(buffer: text(node, bytes))))
      case .integer: return .integer(Int(node.value))
      case .boolean: return .boolean(node.value != 0)
      case .double: return .double(Double(bitPattern: UInt64(bitPattern: node.value)))
      case .null: return .null
      case .array, .set, .push, .map:
        var elements: [RESPReply] = []
        for _ in 0..<node.count { elements.append(reply(nodes, bytes, &next)) }
        return node.kind == .map ? .map(elements) : .array(elements)
      }
    }

    private static func text(_ node: RESPReplyDecoder.Node, _ bytes: ByteBuffer) -> ByteBuffer {
      bytes.getSlice(at: bytes.readerIndex + Int(node.offset), length: Int(node.count))
        ?? ByteBuffer()
    }
  }
#endif
