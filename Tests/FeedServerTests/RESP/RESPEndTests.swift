#if Server
  @testable import FeedServer
  import FeedCore
  import Testing

  @Suite("The end of connections over RESP")
  struct RESPEndTests {
    @Test("QUIT is answered after the commands before it, and the connection is closed")
    func quit() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: "PING\r\nQUIT\r\nPING\r\n")
          #expect(try await peer.reply() == .simple("PONG"))
          #expect(try await peer.reply() == .simple("OK"))
          #expect(try await peer.reply() == nil)
        }
      }
    }

    @Test("a half-closed client receives its responses, and the connection is closed")
    func halfClosed() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(20))
        for count in [1, 20] {
          try await room.connect { (peer: inout RESPPeer) async throws in
            let commands = (0..<count).map { number in
              RESPPeer.command(["GET", "feed:universities:item:University \(number)"])
            }
            try await peer.send(raw: commands.joined())
            peer.finish()
            for number in 0..<count {
              #expect(try await peer.reply() == .text(RESPRoom.json(number)))
            }
            #expect(try await peer.reply() == nil)
          }
        }
      }
    }

    @Test("a half-closed client also receives long responses that need several writes")
    func halfClosedSlowly() async throws {
      try await RESPRoom.serve { room in
        let long = String(repeating: "long ", count: 40_000)
        try room.insert(
          RESPRoom.universities(1)
            + [University(name: "long", country: long, alphaTwoCode: "LO")])
        try await room.connect { (peer: inout RESPPeer) async throws in
          let get = RESPPeer.command(["GET", "feed:universities:item:long"])
          try await peer.send(raw: String(repeating: get, count: 60) + "PING\r\n")
          peer.finish()
          for _ in 0..<60 {
            let answer = try await peer.reply()?.text ?? ""
            #expect(answer.utf8.count > long.utf8.count)
          }
          #expect(try await peer.reply() == .simple("PONG"))
          #expect(try await peer.reply() == nil)
        }
        #expect(room.context.metrics.requestCount(.resp) == 61)
      }
    }

    @Test("a client beyond the limit of connections receives an error")
    func connectionLimit() async throws {
      try await RESPRoom.serve(.with { $0.maximumConnections = 2 }) { room in
        try await room.connect { (first: inout RESPPeer) async throws in
          #expect(try await first.ask("PING") == .simple("PONG"))
          try await room.connect { (second: inout RESPPeer) async throws in
            #expect(try await second.ask("PING") == .simple("PONG"))
            try await room.connect { (third: inout RESPPeer) async throws in
              #expect(try await third.reply() == .error("ERR max number of clients reached"))
              #expect(try await third.reply() == nil)
            }
          }
          #expect(room.refusals(.connectionLimit) == 1)
          #expect(try await first.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("an incomplete command times out")
    func halfOpen() async throws {
      try await RESPRoom.serve(.with { $0.requestTimeout = .milliseconds(300) }) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("PING") == .simple("PONG"))
          try await peer.send(raw: "*2\r\n$3\r\nGET\r\n")
          #expect(try await peer.reply() == nil)
        }
        #expect(room.refusals(.slowRequest) == 1)
      }
    }

    @Test("a stopping server sends the pending responses, and then closes the connections")
    func stopping() async throws {
      try await RESPRoom.serve { room in
        let images = try room.images()
        let bytes = [UInt8](repeating: 7, count: 12 << 20)
        try images.insert(bytes.span.bytes, for: "a")
        try await room.connect { (idle: inout RESPPeer) async throws in
          #expect(try await idle.ask("PING") == .simple("PONG"))
          try await room.connect { (peer: inout RESPPeer) async throws in
            try await peer.send(raw: RESPPeer.command(["GET", "img:a"]) + "ECHO end\r\n")
            while room.context.metrics.sentBytes(.resp) < 1 << 16 { await Task.yield() }
            await room.stop()
            #expect(try await peer.reply() == .bulk(bytes))
            #expect(try await peer.reply() == .text("end"))
            #expect(try await peer.reply() == nil)
          }
          #expect(try await idle.reply() == nil)
        }
      }
    }
  }
#endif
