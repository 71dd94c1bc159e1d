#if Server
  @testable import FeedServer
  import FeedCore
  import Testing

  @Suite("Transactions over RESP")
  struct RESPTransactionTests {
    private static let key = "feed:universities:item:University "

    @Test("EXEC returns the responses to the queued commands in order, errors included")
    func answers() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(3))
        try await room.connect { (peer: inout RESPPeer) async throws in
          for version in ["2", "3"] {
            _ = try await peer.ask("HELLO", version)
            let queued: [[String]] = [
              ["GET", Self.key + "1"], ["GET", "nothing"], ["SELECT", "x"], ["MGET", "a", "b"],
              ["STRLEN", Self.key + "2"], ["PING"], ["UNWATCH"],
            ]
            #expect(try await peer.ask("MULTI") == .simple("OK"))
            for words in queued {
              try await peer.send(raw: RESPPeer.command(words))
              #expect(try await peer.reply() == .simple("QUEUED"))
            }
            #expect(
              try await peer.ask("EXEC")
                == .array([
                  .text(RESPRoom.json(1)), .null,
                  .error("ERR value is not an integer or out of range"), .array([.null, .null]),
                  .integer(RESPRoom.json(2).utf8.count), .simple("PONG"), .simple("OK"),
                ]))
            #expect(try await peer.ask("GET", Self.key + "0") == .text(RESPRoom.json(0)))
          }
        }
      }
    }

    @Test("a transaction may use inline commands, and be pipelined with later commands")
    func lines() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(
            raw: "MULTI\nGET \"\(Self.key)0\"\necho 'a b'\nEXEC\nMULTI\nEXEC\nPING\n")
          for _ in 0..<3 { _ = try await peer.reply() }
          #expect(try await peer.reply() == .array([.text(RESPRoom.json(0)), .text("a b")]))
          #expect(try await peer.reply() == .simple("OK"))
          #expect(try await peer.reply() == .array([]))
          #expect(try await peer.reply() == .simple("PONG"))
        }
      }
    }

    @Test("a cached command is queued like any other within a pipeline")
    func known() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let get = RESPPeer.command(["GET", Self.key + "0"])
          let gets = String(repeating: get, count: 40)
          let answers = [RESPReply](repeating: .text(RESPRoom.json(0)), count: 40)
          try await peer.send(raw: gets + "MULTI\n" + gets + "EXEC\n" + gets)
          for answer in answers { #expect(try await peer.reply() == answer) }
          #expect(try await peer.reply() == .simple("OK"))
          for _ in answers { #expect(try await peer.reply() == .simple("QUEUED")) }
          #expect(try await peer.reply() == .array(answers))
          for answer in answers { #expect(try await peer.reply() == answer) }
        }
      }
    }

    @Test(
      "a command that is refused while queued makes EXEC fail",
      arguments: [["NOTHING"], ["GET"], ["SET", "a", "b"], ["DISCARD", "x"], ["WATCH"]])
    func refused(words: [String]) async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("PING") == .simple("QUEUED"))
          try await peer.send(raw: RESPPeer.command(words))
          guard case .error? = try await peer.reply() else { return #expect(Bool(false)) }
          #expect(try await peer.ask("PING") == .simple("QUEUED"))
          #expect(
            try await peer.ask("EXEC")
              == .error("EXECABORT Transaction discarded because of previous errors."))
          #expect(try await peer.ask("EXEC") == .error("ERR EXEC without MULTI"))
          #expect(try await peer.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("misplaced commands fail with the errors of Redis")
    func misplaced() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          let aborted = RESPReply.error(
            "EXECABORT Transaction discarded because of: wrong number of arguments for 'exec'"
              + " command")
          #expect(try await peer.ask("EXEC") == .error("ERR EXEC without MULTI"))
          #expect(try await peer.ask("DISCARD") == .error("ERR DISCARD without MULTI"))
          #expect(try await peer.ask("EXEC", "x") == aborted)
          #expect(try await peer.ask("WATCH", "a", "b") == .simple("OK"))
          #expect(try await peer.ask("UNWATCH") == .simple("OK"))
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("MULTI") == .error("ERR MULTI calls can not be nested"))
          #expect(
            try await peer.ask("WATCH", "a") == .error("ERR WATCH inside MULTI is not allowed"))
          #expect(try await peer.ask("PING") == .simple("QUEUED"))
          #expect(try await peer.ask("EXEC") == .array([.simple("PONG")]))
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("EXEC", "x") == aborted)
          #expect(try await peer.ask("EXEC") == .error("ERR EXEC without MULTI"))
        }
      }
    }

    @Test("DISCARD, RESET and QUIT drop the queued commands")
    func forgotten() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          for (word, answer) in [("DISCARD", "OK"), ("RESET", "RESET")] {
            #expect(try await peer.ask("MULTI") == .simple("OK"))
            #expect(try await peer.ask("CLIENT", "LIST") == .simple("QUEUED"))
            try await peer.send(word)
            #expect(try await peer.reply() == .simple(answer))
            #expect(try await peer.ask("PING") == .simple("PONG"))
          }
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("QUIT") == .simple("OK"))
          #expect(try await peer.reply() == nil)
        }
      }
    }

    @Test("a queued HELLO changes the protocol version for the commands after it")
    func version() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: "MULTI\nHELLO 3\nCONFIG GET save\nEXEC\n")
          for _ in 0..<3 { _ = try await peer.reply() }
          let answers = try #require(try await peer.reply()).elements
          #expect(answers.count == 2)
          #expect(answers[0].values["proto"] == .integer(3))
          #expect(answers[1] == .map([.text("save"), .text("")]))
        }
      }
    }

    @Test("a transaction that is too large is refused and counted, and the client continues")
    func tooLarge() async throws {
      var limits = RESPWorker.Limits()
      limits.transactionCommands = 3
      limits.transactionBytes = 64 << 10
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          let refused = RESPReply.error("ERR the transaction is too large")
          let discarded = RESPReply.error(
            "EXECABORT Transaction discarded because of previous errors.")
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          for _ in 0..<3 { #expect(try await peer.ask("PING") == .simple("QUEUED")) }
          #expect(try await peer.ask("PING") == refused)
          #expect(try await peer.ask("EXEC") == discarded)
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          let long = String(repeating: "a", count: 100_000)
          #expect(try await peer.ask("ECHO", long) == refused)
          #expect(try await peer.ask("EXEC") == discarded)
          #expect(room.refusals(.tooLarge) == 2)
          #expect(try await peer.ask("ECHO", long) == .text(long))
        }
      }
    }

    @Test("the queues of all clients are bounded, and released when clients disconnect")
    func bounded() async throws {
      var limits = RESPWorker.Limits()
      limits.heldBytes = 1 << 20
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        let long = String(repeating: "a", count: 100_000)
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          var queued = 0
          while try await peer.ask("ECHO", long) == .simple("QUEUED") { queued += 1 }
          #expect(room.refusals(.tooLarge) == 1)
          #expect((1...10).contains(queued))
        }
        // The server may notice the end of the first connection later.
        try await room.connect { (peer: inout RESPPeer) async throws in
          var answer: RESPReply?
          while answer != .array([.text(long)]) {
            try await peer.send(raw: "MULTI\n" + RESPPeer.command(["ECHO", long]) + "EXEC\n")
            for _ in 0..<3 { answer = try await peer.reply() }
          }
        }
      }
    }

    @Test("a response to EXEC of any length is complete")
    func longAnswer() async throws {
      var limits = RESPWorker.Limits()
      limits.sliceBytes = 32 << 10
      limits.flushBytes = 8 << 10
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        let bytes = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 12) }
        try room.images().insert(bytes.span.bytes, for: "a")
        try room.insert(RESPRoom.universities(500))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let many = ["MGET"] + (0..<500).map { Self.key + "\($0)" }
          let generation = try #require(try await peer.ask("GET", "feed:{universities}:cur")?.text)
          let page = ["GET", "feed:universities:\(generation):p:0"]
          var text = "MULTI\n"
          for words in [many, ["GET", "img:a"], ["PING"], page, many] {
            text += RESPPeer.command(words)
          }
          try await peer.send(raw: text + "EXEC\nPING\n")
          for _ in 0..<6 { _ = try await peer.reply() }
          let all = RESPReply.array((0..<500).map { .text(RESPRoom.json($0)) })
          let answers = try #require(try await peer.reply()).elements
          #expect(answers.count == 5)
          #expect(answers[0] == all)
          #expect(answers[1] == .bulk(bytes))
          #expect(answers[2] == .simple("PONG"))
          #expect(answers[3].text?.utf8.count ?? 0 > 32 << 10)
          #expect(answers[4] == all)
          #expect(try await peer.reply() == .simple("PONG"))
        }
      }
    }

    @Test("all commands of one EXEC see one generation of a feed, while it is replaced")
    func oneGeneration() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(200), at: RESPRoom.now)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask {
            var round = 0
            while !Task.isCancelled {
              round += 1
              try room.insert(RESPRoom.universities(200, country: "\(round)"))
              await Task.yield()
            }
          }
          try await room.connect { (peer: inout RESPPeer) async throws in
            let text =
              "MULTI\n"
              + (0..<200).map { RESPPeer.command(["GET", Self.key + "\($0)"]) }.joined()
              + "GET feed:{universities}:cur\nEXEC\n"
            var generations: Set<String> = []
            while generations.count < 20 {
              try await peer.send(raw: text)
              for _ in 0..<202 { _ = try await peer.reply() }
              let answers = try #require(try await peer.reply()).elements
              let countries = Set(
                answers.dropLast().enumerated().compactMap { index, answer in
                  answer.text?.split(separator: "\"country\":\"").last?.prefix { $0 != "\"" }
                })
              #expect(answers.count == 201 && countries.count == 1, "\(countries)")
              generations.insert(try #require(answers.last?.text))
            }
          }
          tasks.cancelAll()
        }
      }
    }

    @Test("clients can list the transaction commands and the queue lengths of others")
    func descriptions() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("PING") == .simple("QUEUED"))
          try await room.connect { (other: inout RESPPeer) async throws in
            #expect(try await other.ask("CLIENT", "LIST")?.text?.contains(" multi=1 ") == true)
            #expect(try await other.ask("CLIENT", "INFO")?.text?.contains(" multi=-1 ") == true)
            let described = try #require(try await other.ask("COMMAND", "INFO", "exec", "watch"))
            #expect(described.elements[0].elements[0] == .text("exec"))
            #expect(described.elements[1].elements[1] == .integer(-2))
          }
        }
      }
    }
  }
#endif
