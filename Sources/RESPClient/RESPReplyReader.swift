#if Cluster
  import NIOCore
  import RESPWire

  /// Takes replies out of the packets of a connection.
  ///
  /// A reply that lies in one packet is a slice of it. The bytes of another one are copied once, to
  /// a buffer that has its size from the start.
  struct RESPReplyReader {
    private var decoder = RESPReplyDecoder()
    /// The bytes of an incomplete reply.
    private var begun: ByteBuffer?

    mutating func read(
      _ packet: ByteBuffer, _ body: (_ reply: RESPReply, _ isPush: Bool) -> Void
    ) throws(RESPReplyError) {
      var packet = packet
      while packet.readableBytes > 0 {
        guard begun != nil else {
          try takeReplies(from: &packet, body)
          continue
        }
        try continueReply(from: &packet, body)
      }
    }

    /// Takes the replies that lie in the packet, and keeps the rest.
    private mutating func takeReplies(
      from packet: inout ByteBuffer, _ body: (RESPReply, Bool) -> Void
    ) throws(RESPReplyError) {
      while packet.readableBytes > 0 {
        guard let length = try decoder.next(packet.readableBytesUInt8Span) else {
          var rest = ByteBufferAllocator().buffer(
            capacity: decoder.neededBytes ?? packet.readableBytes + 64)
          rest.writeBuffer(&packet)
          begun = rest
          return
        }
        pass(packet, body)
        packet.moveReaderIndex(forwardBy: length)
      }
    }

    /// Appends the bytes that the incomplete reply needs, and no more.
    private mutating func continueReply(
      from packet: inout ByteBuffer, _ body: (RESPReply, Bool) -> Void
    ) throws(RESPReplyError) {
      guard var reply = begun.take() else { return }
      let view = packet.readableBytesView
      let count =
        if let needed = decoder.neededBytes {
          min(needed - reply.readableBytes, view.count)
        } else {
          view.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - view.startIndex } ?? view.count
        }
      if let needed = decoder.neededBytes {
        reply.reserveCapacity(minimumWritableBytes: needed - reply.readableBytes)
      }
      if var part = packet.readSlice(length: count) { reply.writeBuffer(&part) }
      if try decoder.next(reply.readableBytesUInt8Span) == nil {
        begun = reply
      } else {
        pass(reply, body)
      }
    }

    private func pass(_ bytes: ByteBuffer, _ body: (RESPReply, Bool) -> Void) {
      body(RESPReply(decoder.nodes, bytes), decoder.nodes.first?.kind == .push)
    }
  }
#endif
