#if Remote
  import NIOCore

  /// One connection to the server, which answers its requests one after another.
  enum Connection {
    /// The maximum length of a request's head. Tests send shorter ones.
    private static let longestHead = 64 << 10

    static func serve(
      _ channel: any Channel, _ choice: LoopbackServer.Choice, _ log: RequestLog
    ) async throws {
      // A write that the client does not read ends only with the connection.
      try await withTaskCancellationHandler {
        try await read(channel, choice, log)
      } onCancel: {
        channel.close(promise: nil)
      }
    }

    private static func read(
      _ channel: any Channel, _ choice: LoopbackServer.Choice, _ log: RequestLog
    ) async throws {
      let stream = try await channel.eventLoop.submit {
        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
      }.get()
      try await stream.executeThenClose { input, _ in
        try await channel.setOption(.autoRead, value: true).get()
        var text: [UInt8] = []
        for try await buffer in input {
          text += buffer.readableBytesView
          while let end = endOfHead(text) {
            guard let request = ServedRequest(head: String(decoding: text[..<end], as: UTF8.self))
            else { return }
            text.removeFirst(end)
            let answer = choice(request)
            log.add(request)
            guard try await send(await answer(request), to: channel) else { return }
          }
          guard text.count <= longestHead else { return }
        }
      }
    }

    /// Each write waits until the socket accepts it, so that at most one is buffered here.
    ///
    /// - Returns: false if the connection is to end.
    private static func send(
      _ response: ServedResponse, to channel: any Channel
    ) async throws -> Bool {
      // A client may close the connection before the step is reached, which ends an earlier write.
      for case .awaitClosing(let gate) in response.steps {
        channel.closeFuture.whenComplete { _ in gate.open() }
      }
      try await channel.writeAndFlush(ByteBuffer(string: response.head))
      for step in response.steps {
        switch step {
        case .bytes(let bytes):
          try await channel.writeAndFlush(framed(bytes, response.framing))
        case .repeated(let bytes, let times):
          let piece = framed(bytes, response.framing)
          for _ in 0..<times { try await channel.writeAndFlush(piece) }
        case .blanks:
          while true {
            try await channel.writeAndFlush(framed([0x20], response.framing))
            try await Task.sleep(for: .seconds(1))
          }
        case .wait(let gate), .awaitClosing(let gate):
          await gate.wait()
        case .note(let note):
          note()
        case .drop:
          return false
        }
      }
      switch response.framing {
      case .length: return true
      case .chunked:
        try await channel.writeAndFlush(ByteBuffer(string: "0\r\n\r\n"))
        return true
      case .close: return false
      }
    }

    private static func framed(_ bytes: [UInt8], _ framing: ServedResponse.Framing) -> ByteBuffer {
      guard case .chunked = framing else { return ByteBuffer(bytes: bytes) }
      var buffer = ByteBuffer(string: String(bytes.count, radix: 16) + "\r\n")
      buffer.writeBytes(bytes)
      buffer.writeString("\r\n")
      return buffer
    }

    private static func endOfHead(_ text: [UInt8]) -> Int? {
      let mark = Array("\r\n\r\n".utf8)
      guard text.count >= mark.count else { return nil }
      for start in 0...(text.count - mark.count)
      where text[start..<(start + mark.count)] == mark[...] {
        return start + mark.count
      }
      return nil
    }
  }
#endif
