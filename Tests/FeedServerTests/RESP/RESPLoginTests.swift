#if Server
  @testable import FeedServer
  import FeedCore
  import NIOCore
  import Testing

  @Suite("Logins over RESP")
  struct RESPLoginTests {
    private static let wrong = RESPReply.error(
      "WRONGPASS invalid username-password pair or user is disabled.")
    private static let tooMany = RESPReply.error(
      "ERR too many failed logins from this address; try again in some seconds")

    private static var configuration: ServerConfiguration {
      .with { $0.credentials = Credentials(lines: "ann:secret\ntoken") }
    }

    @Test("replies to guesses are delayed, and the commands of a connection keep their order")
    func delayed() async throws {
      try await RESPRoom.serve(Self.configuration) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          let began = ContinuousClock.now
          try await peer.send(
            raw: "PING\nAUTH x\nAUTH ann x\nPING\nHELLO 3 AUTH ann y SETNAME z\nAUTH token\nPING\n")
          let refused = RESPReply.error("NOAUTH Authentication required.")
          let expected = [refused, Self.wrong, Self.wrong, refused, Self.wrong]
          for reply in expected { #expect(try await peer.reply() == reply) }
          #expect(ContinuousClock.now - began >= .milliseconds(100 + 200 + 400))
          #expect(try await peer.reply() == .simple("OK"))
          #expect(try await peer.reply() == .simple("PONG"))
          #expect(room.refusals(.unauthorized) == 5)
        }
      }
    }

    @Test("a guessing client delays neither valid logins nor admitted clients")
    func others() async throws {
      try await RESPRoom.serve(Self.configuration) { room in
        try await room.connect { (guessing: inout RESPPeer) async throws in
          let guesses = (0..<1_000).map { RESPPeer.command(["AUTH", "guess \($0)"]) }.joined()
          try await guessing.send(raw: guesses)
          #expect(try await guessing.reply() == Self.wrong)
          try await room.connect { (other: inout RESPPeer) async throws in
            #expect(try await other.ask("AUTH", "ann", "secret") == .simple("OK"))
            for _ in 0..<100 { #expect(try await other.ask("PING") == .simple("PONG")) }
          }
          // The remaining guesses take more than half a minute.
          #expect(room.refusals(.unauthorized) < 20)
        }
      }
    }

    @Test("the guesses of an address are limited, however many connections they use")
    func manyConnections() async throws {
      try await RESPRoom.serve(Self.configuration) { room in
        let began = ContinuousClock.now
        let replies = try await withThrowingTaskGroup(of: RESPReply?.self) { tasks in
          for _ in 0..<100 {
            tasks.addTask {
              try await room.connect { (peer: inout RESPPeer) async throws in
                try await peer.ask("AUTH", "guess")
              }
            }
          }
          return try await tasks.reduce(into: [RESPReply?]()) { $0.append($1) }
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(replies.count == 100)
        #expect(replies.allSatisfy { $0 == Self.wrong || $0 == Self.tooMany })
        let considered = replies.count { $0 == Self.wrong }
        #expect(Double(considered) <= 42 + 33 * seconds)
        #expect(considered >= 42)
        #expect(
          room.refusals(.unauthorized) == considered
            && room.refusals(.tooManyLogins) == 100 - considered)
      }
    }

    @Test("a login within a transaction is delayed, too")
    func transaction() async throws {
      try await RESPRoom.serve(Self.configuration) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("AUTH", "token") == .simple("OK"))
          let began = ContinuousClock.now
          try await peer.send(raw: "MULTI\nPING\nAUTH x\nAUTH token\nPING\nEXEC\n")
          for _ in 0..<5 { _ = try await peer.reply() }
          #expect(
            try await peer.reply()
              == .array([.simple("PONG"), Self.wrong, .simple("OK"), .simple("PONG")]))
          #expect(ContinuousClock.now - began >= .milliseconds(100))
        }
      }
    }

    @Test("a client that leaves during the delay, and a server that stops, do not wait")
    func ends() async throws {
      try await RESPRoom.serve(Self.configuration) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send("AUTH", "x")
        }
        while room.context.metrics.openConnections(.resp) > 0 { await Task.yield() }
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: "AUTH x\nAUTH y\n")
          peer.finish()
          #expect(try await peer.reply() == Self.wrong)
          #expect(try await peer.reply() == Self.wrong)
          #expect(try await peer.reply() == nil)
        }
      }
    }
  }
#endif
