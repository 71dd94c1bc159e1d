#if Server
  @testable import FeedServer
  import FeedCore
  import Foundation
  import TestSupport
  import Testing

  @Suite("Connections over RESP")
  struct RESPConnectionTests {
    @Test("pipelined commands are answered in order")
    func pipeline() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(100))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let commands = (0..<5_000).map { number in
            RESPPeer.command(["GET", "feed:universities:item:University \(number % 110)"])
          }
          try await peer.send(raw: commands.joined())
          for number in 0..<5_000 {
            let expected =
              number % 110 < 100 ? RESPReply.text(RESPRoom.json(number % 110)) : .null
            guard try await peer.reply() == expected else {
              return #expect(Bool(false), "the answer to command \(number) is another one")
            }
          }
        }
        #expect(room.context.metrics.requestCount(.resp) == 5_000)
        #expect(
          room.context.metrics.lookupCounts.hits + room.context.metrics.lookupCounts.misses == 5_000
        )
      }
    }

    @Test("cached and uncached responses of a pipeline keep their order")
    func mixedPipeline() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(100))
        try await room.connect { (peer: inout RESPPeer) async throws in
          var random = SeededGenerator(seed: 4)
          for _ in 0..<60 {
            var commands = ""
            var expected: [RESPReply] = []
            for _ in 0..<Int.random(in: 1...70, using: &random) {
              let number = Int.random(in: 0..<110, using: &random)
              let key = "feed:universities:item:University \(number)"
              let value = number < 100 ? RESPReply.text(RESPRoom.json(number)) : .null
              switch Int.random(in: 0..<20, using: &random) {
              case 0:
                commands += RESPPeer.command(["MGET", key, key])
                expected.append(.array([value, value]))
              case 1:
                commands += "PING\r\n"
                expected.append(.simple("PONG"))
              case 2:
                commands += RESPPeer.command(["GET", key, key])
                expected.append(.error("ERR wrong number of arguments for 'get' command"))
              default:
                commands += RESPPeer.command([["GET", "get"].randomElement() ?? "", key])
                expected.append(value)
              }
            }
            try await peer.send(raw: commands)
            for expected in expected { #expect(try await peer.reply() == expected) }
          }
        }
      }
    }

    @Test("a command may arrive byte by byte")
    func bytewise() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        try await room.connect { (peer: inout RESPPeer) async throws in
          for byte in RESPPeer.command(["GET", "feed:universities:item:University 0"]) + "PING\r\n"
          {
            try await peer.send(raw: String(byte))
          }
          #expect(try await peer.reply() == .text(RESPRoom.json(0)))
          #expect(try await peer.reply() == .simple("PONG"))
        }
      }
    }

    @Test("malformed input is answered with an error, and the connection is closed")
    func malformed() async throws {
      try await RESPRoom.serve { room in
        for (text, message) in [
          ("*1\r\n$x\r\n", "invalid bulk length"), ("*1\r\n:1\r\n", "expected '$', got ':'"),
          ("*99999999\r\n", "invalid multibulk length"), ("\"\n", "unbalanced quotes in request"),
        ] {
          try await room.connect { (peer: inout RESPPeer) async throws in
            try await peer.send(raw: "PING\r\n" + text + "PING\r\n")
            #expect(try await peer.reply() == .simple("PONG"))
            #expect(try await peer.reply() == .error("ERR Protocol error: \(message)"))
            #expect(try await peer.reply() == nil)
          }
        }
        #expect(room.refusals(.malformed) == 4)
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("random bytes do not affect other clients", arguments: 0..<20)
    func random(_ seed: UInt64) async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
          let sample = CommandSamples.all.randomElement(using: &random) ?? []
          let bytes = Mutation.mutated(sample + sample, using: &random)
          try await room.connect { (peer: inout RESPPeer) async throws in
            try? await peer.send(raw: String(decoding: bytes, as: UTF8.self))
          }
        }
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("other clients are answered during expensive commands", arguments: [1, 3])
    func turns(_ count: Int) async throws {
      var limits = RESPWorker.Limits()
      limits.sliceBytes = 2 << 10
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try room.insert(RESPRoom.universities(1_000))
        let keys = (0..<40_000).map { "feed:universities:item:University \($0 % 1_000)" }
        let command = RESPPeer.command(["EXISTS"] + keys)
        try await room.connect { (other: inout RESPPeer) async throws in
          #expect(try await other.ask("PING") == .simple("PONG"))
          try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<count {
              tasks.addTask {
                try await room.connect { (peer: inout RESPPeer) async throws in
                  try await peer.send(raw: command)
                  #expect(try await peer.reply() == .integer(keys.count))
                }
              }
            }
            let all = 14 + count * command.utf8.count
            while room.context.metrics.receivedBytes(.resp) < all { await Task.yield() }
            // Only the first PING is complete, and no expensive command.
            let statistics = try await other.ask("INFO", "stats")?.text
            #expect(statistics?.contains("total_commands_processed:1\r\n") == true)
            try await tasks.waitForAll()
          }
        }
      }
    }

    @Test("a client that does not read is disconnected, and others are served meanwhile")
    func slowReader() async throws {
      try await RESPRoom.serve(.with { $0.requestTimeout = .milliseconds(500) }) { room in
        let images = try room.images()
        try images.insert([UInt8](repeating: 7, count: 8 << 20).span.bytes, for: "a")
        try await room.connect { (slow: inout RESPPeer) async throws in
          try await slow.send(
            raw: String(repeating: RESPPeer.command(["GET", "img:a"]), count: 100))
          try await room.connect { (other: inout RESPPeer) async throws in
            while room.refusals(.slowReader) == 0 {
              #expect(try await other.ask("PING") == .simple("PONG"))
            }
          }
        }
      }
    }

    @Test("incomplete commands are bounded in total; beyond that the largest is refused")
    func incompleteCommands() async throws {
      var limits = RESPWorker.Limits()
      limits.allUnreadBytes = 1 << 20
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try await room.connect { (other: inout RESPPeer) async throws in
          #expect(try await other.ask("PING") == .simple("PONG"))
          try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<40 {
              tasks.addTask {
                try await room.connect { (peer: inout RESPPeer) async throws in
                  let half =
                    "*2\r\n$4\r\nECHO\r\n$100000\r\n" + String(repeating: "a", count: 60_000)
                  try await peer.send(raw: half)
                  _ = try await peer.reply()
                }
              }
            }
            while room.refusals(.tooLarge) < 10 {
              let reply = try await other.ask("PING")
              #expect(reply == .simple("PONG"))
            }
            tasks.cancelAll()
            _ = await tasks.nextResult()
          }
        }
      }
    }

    @Test("responses of any length are sent as the client reads, and are not accumulated")
    func longAnswers() async throws {
      try await RESPRoom.serve { room in
        let images = try room.images()
        let bytes = (0..<6 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 12) }
        try images.insert(bytes.span.bytes, for: "a")
        try room.insert(RESPRoom.universities(10))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let mixed = RESPPeer.command([
            "MGET", "img:a", "feed:universities:item:University 3", "img:a",
          ])
          try await peer.send(raw: mixed + RESPPeer.command(["GET", "img:a"]) + "PING\r\n")
          let first = try await peer.reply()
          #expect(first == .array([.bulk(bytes), .text(RESPRoom.json(3)), .bulk(bytes)]))
          #expect(try await peer.reply() == .bulk(bytes))
          #expect(try await peer.reply() == .simple("PONG"))
        }
      }
    }

    @Test("a Unix socket serves the same as a port")
    func unixSocket() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/resp"
      try await RESPRoom.serve(at: [path]) { room in
        try room.insert(RESPRoom.universities(1))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let reply = try await peer.ask("GET", "feed:universities:item:University 0")
          #expect(reply == .text(RESPRoom.json(0)))
          #expect(try await peer.ask("CLIENT", "INFO")?.text?.hasPrefix("id=") == true)
        }
      }
    }

    @Test("all addresses are served and closed together")
    func addresses() async throws {
      let directory = try TemporaryDirectory()
      let paths = ["a", "b"].map { directory.path + "/" + $0 }
      try await RESPRoom.serve(at: paths) { room in
        try room.insert(RESPRoom.universities(2))
        for address in [room.address] + room.others {
          var room = room
          room.address = address
          try await room.connect { (peer: inout RESPPeer) async throws in
            #expect(
              try await peer.ask("GET", "feed:universities:item:University 1")
                == .text(RESPRoom.json(1)))
          }
        }
        #expect(room.others == [.unix(path: paths[1])])
      }
      for path in paths { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    @Test("if one address fails, the server listens at none")
    func takenAddress() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/a"
      await #expect(throws: (any Error).self) {
        try await RESPRoom.serve(at: [path, "/nowhere/b"]) { _ in }
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("transferred bytes are counted, and closed connections are not")
    func counts() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("PING") == .simple("PONG"))
          #expect(room.context.metrics.openConnections(.resp) == 1)
        }
        while room.context.metrics.openConnections(.resp) > 0 { await Task.yield() }
        let metrics = room.context.metrics
        #expect(metrics.receivedBytes(.resp) == 14 && metrics.sentBytes(.resp) == 7)
        #expect(metrics.acceptedConnections(.resp) == 1 && metrics.requestCount(.resp) == 1)
      }
    }

    @Test("readers see neither errors nor mixed generations while feeds are replaced continuously")
    func replacing() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(50, country: "0"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask {
            for turn in 1...30 { try room.insert(RESPRoom.universities(50, country: "\(turn)")) }
          }
          for reader in 0..<3 {
            tasks.addTask {
              try await room.connect { (peer: inout RESPPeer) async throws in
                var last = 0
                while last < 30 {
                  let keys = (0..<10).map {
                    "feed:universities:item:University \($0 + reader * 10)"
                  }
                  try await peer.send(raw: keys.map { RESPPeer.command(["GET", $0]) }.joined())
                  for _ in keys {
                    let text = try #require(try await peer.reply()?.text)
                    let university = try JSONDecoder().decode(
                      University.self, from: Data(text.utf8))
                    let turn = try #require(Int(university.country))
                    // A reader never goes back to a replaced generation.
                    #expect(turn >= last)
                    last = turn
                  }
                }
              }
            }
          }
          try await tasks.waitForAll()
        }
      }
    }
  }
#endif
