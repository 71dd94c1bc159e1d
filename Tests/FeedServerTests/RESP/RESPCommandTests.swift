#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite("Commands over RESP")
  struct RESPCommandTests {
    @Test("a client may send arrays and inline commands")
    func lines() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("PING") == .simple("PONG"))
          #expect(try await peer.ask("ping", "hello") == .text("hello"))
          try await peer.send(raw: "PING\r\n\r\nECHO \"a b\"\n")
          #expect(try await peer.reply() == .simple("PONG"))
          #expect(try await peer.reply() == .text("a b"))
        }
      }
    }

    @Test("HELLO selects the version of the protocol")
    func hello() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          let two = try #require(try await peer.ask("HELLO"))
          #expect(two.values["proto"] == .integer(2))
          #expect(try await peer.ask("GET", "x") == .null)
          let three = try #require(try await peer.ask("HELLO", "3", "SETNAME", "tester"))
          guard case .map = three else { return #expect(Bool(false), "\(three)") }
          #expect(three.values["proto"] == .integer(3))
          #expect(three.values["role"] == .text("master"))
          #expect(try await peer.ask("CLIENT", "GETNAME") == .text("tester"))
          #expect(
            try await peer.ask("HELLO", "4") == .error("NOPROTO unsupported protocol version"))
          #expect(
            try await peer.ask("HELLO", "3", "NAME")
              == .error("ERR Syntax error in HELLO option 'NAME'"))
          #expect(try await peer.ask("RESET") == .simple("RESET"))
          #expect(try await peer.ask("CLIENT", "GETNAME") == .null)
          guard case .array? = try await peer.ask("CONFIG", "GET", "save") else {
            return #expect(Bool(false))
          }
        }
      }
    }

    @Test("nothing is readable without the configured credentials")
    func credentials() async throws {
      try await RESPRoom.serve(
        .with {
          $0.credentials = Credentials(lines: "ann:secret\ntoken")
        }
      ) {
        room in
        try room.insert(RESPRoom.universities(1))
        let key = "feed:universities:item:University 0"
        try await room.connect { (peer: inout RESPPeer) async throws in
          let refused = RESPReply.error("NOAUTH Authentication required.")
          for words in [["GET", key], ["PING"], ["SET", key, "x"], ["NOTHING"], ["SCAN", "0"]] {
            try await peer.send(raw: RESPPeer.command(words))
            #expect(try await peer.reply() == refused)
          }
          #expect(try await peer.ask("HELLO", "3")?.text?.hasPrefix("NOAUTH HELLO") == true)
          for words in [
            ["AUTH", "x"], ["AUTH", "ann", "x"], ["AUTH", "secret"], ["AUTH", "ann:secret"],
          ] {
            try await peer.send(raw: RESPPeer.command(words))
            #expect(try await peer.reply()?.text?.hasPrefix("WRONGPASS") == true)
          }
          #expect(room.refusals(.unauthorized) == 10)
          #expect(try await peer.ask("AUTH", "ann", "secret") == .simple("OK"))
          #expect(try await peer.ask("GET", key) == .text(RESPRoom.json(0)))
          #expect(try await peer.ask("RESET") == .simple("RESET"))
          #expect(try await peer.ask("GET", key) == refused)
        }
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("AUTH", "token") == .simple("OK"))
          #expect(try await peer.ask("GET", key) == .text(RESPRoom.json(0)))
        }
        try await room.connect { (peer: inout RESPPeer) async throws in
          let reply = try await peer.ask("HELLO", "3", "AUTH", "default", "token")
          #expect(reply?.values["proto"] == .integer(3))
          // Commands pipelined after it have the limits of authenticated clients.
          #expect(try await peer.ask("RESET") == .simple("RESET"))
          let many = RESPPeer.command(["MGET"] + Array(repeating: key, count: 20))
          try await peer.send(raw: RESPPeer.command(["AUTH", "token"]) + many)
          #expect(try await peer.reply() == .simple("OK"))
          #expect(try await peer.reply()?.elements.count == 20)
        }
      }
    }

    @Test("an unauthenticated client cannot send long commands")
    func strangers() async throws {
      try await RESPRoom.serve(.with { $0.credentials = Credentials(lines: "token") }) {
        room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: "*11\r\n")
          #expect(
            try await peer.reply() == .error("ERR Protocol error: unauthenticated multibulk length")
          )
          #expect(try await peer.reply() == nil)
        }
        #expect(room.refusals(.tooLarge) == 1)
      }
    }

    @Test("AUTH fails if no credentials are configured")
    func noCredentials() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(
            try await peer.ask("AUTH", "x")?.text?.hasPrefix("ERR AUTH <password> called without")
              == true)
        }
      }
    }

    @Test("writes and unknown commands are refused, and the client continues")
    func refused() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          for words in [["SET", "a", "b"], ["del", "a"], ["EXPIRE", "a", "1"], ["FLUSHALL"]] {
            try await peer.send(raw: RESPPeer.command(words))
            #expect(try await peer.reply()?.text?.hasPrefix("READONLY") == true)
          }
          #expect(
            try await peer.ask("FOO", "a", "b\r\nc")
              == .error("ERR unknown command 'FOO', with args beginning with: 'a' 'b  c' "))
          #expect(try await peer.ask("KEYS", "*")?.text?.hasPrefix("ERR unknown command") == true)
          #expect(
            try await peer.ask("CLIENT", "MAINT_NOTIFICATIONS", "ON")
              == .error("ERR unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT HELP."))
          #expect(
            try await peer.ask("GET") == .error("ERR wrong number of arguments for 'get' command"))
          #expect(room.refusals(.notAllowed) == 7)
          #expect(try await peer.ask("PING") == .simple("PONG"))
        }
      }
    }

    @Test("an HTTP request closes the connection before its body is interpreted")
    func crossProtocol() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: "POST / HTTP/1.1\r\nHost: a\r\n\r\nPING\r\n")
          #expect(try await peer.reply() == nil)
        }
        #expect(room.refusals(.malformed) == 1)
      }
    }

    @Test("the commands that clients send on connection are answered")
    func introspection() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(2))
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("CLIENT", "SETINFO", "LIB-NAME", "test") == .simple("OK"))
          #expect(
            try await peer.ask("CLIENT", "SETNAME", "a b")?.text?.hasPrefix("ERR Client names")
              == true)
          #expect(try await peer.ask("CLIENT", "SETNAME", "ab") == .simple("OK"))
          let identifier = try #require(try await peer.ask("CLIENT", "ID")?.integer)
          let info = try await peer.ask("CLIENT", "INFO")?.text ?? ""
          #expect(
            info.hasPrefix("id=\(identifier) addr=127.0.0.1:") && info.contains("lib-name=test"))
          #expect(try await peer.ask("CLIENT", "LIST")?.text?.contains("name=ab ") == true)
          #expect(try await peer.ask("SELECT", "0") == .simple("OK"))
          #expect(try await peer.ask("SELECT", "1") == .error("ERR DB index is out of range"))
          #expect(
            try await peer.ask("CONFIG", "GET", "save", "append*")?.values == [
              "save": .text(""), "appendonly": .text("no"),
            ])
          let tooMany = ["CONFIG", "GET"] + [String](repeating: "*", count: 33)
          try await peer.send(raw: RESPPeer.command(tooMany))
          #expect(
            try await peer.reply() == .error("ERR 'config|get' takes at most 32 patterns"))
          #expect(try await peer.ask("TIME")?.elements.count == 2)
          let count = try #require(try await peer.ask("COMMAND", "COUNT")?.integer)
          let commands = try #require(try await peer.ask("COMMAND")).elements
          #expect(commands.count == count)
          let get = try #require(commands.first { $0.elements.first == .text("get") }).elements
          #expect(get.count == 10)
          #expect([get[1], get[3], get[4], get[5]].map(\.integer) == [2, 1, 1, 1])
          #expect(try await peer.ask("COMMAND", "INFO", "nothing") == .array([.null]))
          let names = ["COMMAND", "DOCS"] + [String](repeating: "get", count: 513)
          try await peer.send(raw: RESPPeer.command(names))
          #expect(try await peer.reply() == .error("ERR 'command' takes at most 512 names"))
          let documents = try #require(try await peer.ask("COMMAND", "DOCS", "get", "nothing"))
          #expect(documents.values["get"]?.values["group"] == .text("string"))
          #expect(documents.values.count == 1)
        }
      }
    }

    @Test("INFO returns all sections, or the requested ones")
    func information() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(2))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let all = try await peer.ask("INFO")?.text ?? ""
          for line in ["redis_version:7", "connected_clients:1", "role:master", "db0:keys=5,"] {
            #expect(all.contains(line))
          }
          let part = try await peer.ask("INFO", "replication")?.text ?? ""
          #expect(part.hasPrefix("# Replication\r\nrole:master") && !part.contains("redis_version"))
        }
      }
    }

    @Test("the help of a command names subcommands that exist, and errors name the help")
    func help() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          for command in ["CLIENT", "COMMAND", "CONFIG"] {
            #expect(
              try await peer.ask(command, "NONE")
                == .error("ERR unknown subcommand 'NONE'. Try \(command) HELP."))
            let lines = try #require(try await peer.ask(command, "help")).elements
              .compactMap(\.text)
            let names = lines.dropFirst().filter { !$0.hasPrefix(" ") && !$0.hasPrefix("(") }
              .compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(names.last == "HELP")
            for name in names {
              let answer = try await peer.ask(command, name)?.text ?? ""
              #expect(!answer.contains("unknown subcommand"), "\(command) \(name)")
            }
          }
        }
      }
    }

    @Test("the role and the error for a write agree")
    func role() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("HELLO", "2")?.values["role"] == .text("master"))
          let replication = try await peer.ask("INFO", "replication")?.text ?? ""
          #expect(replication.contains("role:master\r\n"))
          // If the error named a replica, some clients would look for another master.
          #expect(
            try await peer.ask("SET", "a", "b")
              == .error("READONLY This server only reads. Publish feeds with 'feedcore ingest'."))
        }
      }
    }
  }
#endif
