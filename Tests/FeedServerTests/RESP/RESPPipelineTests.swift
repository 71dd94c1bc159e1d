#if Server
  @testable import FeedServer
  import FeedCore
  import NIOCore
  import TestSupport
  import Testing

  @Suite("Clients that send all requests before they read, over RESP")
  struct RESPPipelineTests {
    private static let count = 400_000

    private static func key(_ number: Int) -> String {
      "feed:universities:item:University \(number % 10)"
    }

    /// `count` requests: nine records and a missing key in turn.
    private static func requests(_ count: Int) -> ByteBuffer {
      let ten =
        (0..<9).map { RESPPeer.command(["GET", key($0)]) }.joined()
        + RESPPeer.command(["GET", "nothing"])
      return ByteBuffer(string: String(repeating: ten, count: count / 10))
    }

    private static func responses(_ count: Int) -> ByteBuffer {
      let ten =
        (0..<9).map { number in
          let json = RESPRoom.json(number)
          return "$\(json.utf8.count)\r\n\(json)\r\n"
        }.joined() + "$-1\r\n"
      return ByteBuffer(string: String(repeating: ten, count: count / 10))
    }

    @Test("receive the responses to 400 000 requests in order", arguments: [true, false])
    func everything(overUnixSocket isUnix: Bool) async throws {
      let directory = try TemporaryDirectory()
      let paths = isUnix ? [directory.path + "/resp"] : []
      // The server closes a connection that waits for its client before this timeout.
      let configuration = ServerConfiguration.with { $0.requestTimeout = .seconds(120) }
      try await RESPRoom.serve(configuration, at: paths) { room in
        try room.insert(RESPRoom.universities(10))
        let requests = Self.requests(Self.count)
        #expect(requests.readableBytes < 32 << 20)
        let received = try await RESPLateReader.responses(to: requests, at: room.address)
        #expect(received == Self.responses(Self.count))
        #expect(room.context.metrics.requestCount(.resp) == Self.count)
      }
    }

    @Test("receive an error that names the maximum of unread requests; others continue")
    func tooMany() async throws {
      var limits = RESPWorker.Limits()
      limits.unreadBytes = 1 << 20
      limits.unreadTimeout = .milliseconds(300)
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try room.insert(RESPRoom.universities(10))
        try await room.connect { (other: inout RESPPeer) async throws in
          let received = try await RESPLateReader.responses(
            to: Self.requests(Self.count), at: room.address)
          let error =
            "-ERR the unread requests exceed the maximum of a connection, 1048576 bytes (1 MiB);"
            + " read responses while sending\r\n"
          let text = String(buffer: received)
          #expect(text.hasSuffix(error))
          // The responses before the error are complete and in order.
          #expect(
            String(buffer: Self.responses(Self.count)).hasPrefix(text.dropLast(error.utf8.count)))
          #expect(room.refusals(.tooLarge) == 1)
          #expect(try await other.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("may send any number of requests if they read meanwhile")
    func concurrently() async throws {
      var limits = RESPWorker.Limits()
      limits.unreadBytes = 64 << 10
      limits.unreadTimeout = .seconds(20)
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try room.insert(RESPRoom.universities(10))
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: String(buffer: Self.requests(50_000)))
          for number in 0..<50_000 {
            let expected = number % 10 < 9 ? RESPReply.text(RESPRoom.json(number % 10)) : .null
            guard try await peer.reply() == expected else {
              return #expect(Bool(false), "the response to command \(number) is another one")
            }
          }
        }
        #expect(room.refusals(.tooLarge) == 0)
      }
    }

    @Test("share a maximum; beyond it the client with most unread requests receives an error")
    func together() async throws {
      var limits = RESPWorker.Limits()
      limits.allUnreadBytes = 4 << 20
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try room.insert(RESPRoom.universities(10))
        let received = try await RESPLateReader.responses(
          to: Self.requests(Self.count), at: room.address)
        let error =
          "-ERR the unread requests exceed the maximum of all connections, 4194304 bytes (4 MiB);"
          + " read responses while sending\r\n"
        #expect(String(buffer: received).hasSuffix(error))
        #expect(room.refusals(.tooLarge) == 1)
        // The memory is available to the next client.
        let few = try await RESPLateReader.responses(to: Self.requests(1_000), at: room.address)
        #expect(few == Self.responses(1_000))
      }
    }
  }
#endif
