#if Server
  import FeedCore
  import TestSupport
  import Testing

  @Suite("Document feeds over RESP", .timeLimit(.minutes(5)))
  struct RESPDocumentTests {
    private func serve(_ body: (inout RESPPeer) async throws -> Void) async throws {
      let database = try FeedDatabase.openPrivate()
      try OddDocuments.publish(in: database)
      try await RESPRoom.serve(store: database) { room in try await room.connect(body) }
    }

    @Test("a record is found by any key, also from the cache")
    func get() async throws {
      try await serve { peer in
        for (key, text) in zip(OddDocuments.keys, OddDocuments.keyed) {
          for _ in 0..<2 {
            let reply = try await peer.ask("GET", "feed:odd:item:\(key)")
            #expect(reply == .text(text), "\(key.debugDescription)")
          }
        }
        for (key, text) in zip(OddDocuments.numberKeys, OddDocuments.numbers) {
          #expect(try await peer.ask("GET", "feed:numbers:item:\(key)") == .text(text))
        }
        for (key, text) in zip(["last", "wide"], OddDocuments.large) {
          for _ in 0..<2 {
            let isEqual = try await peer.ask("GET", "feed:large:item:\(key)") == .text(text)
            #expect(isEqual, "\(key)")
          }
        }
        #expect(try await peer.ask("GET", "feed:odd:item:none") == .null)
      }
    }

    @Test("a composed key is a JSON array, and a record without a key is found by its position")
    func otherKeys() async throws {
      try await serve { peer in
        for key in [#"["a",2]"#, #"["a","2"]"#, #"[ "a" , 2.0 ]"#] {
          let reply = try await peer.ask("GET", "feed:composed:item:\(key)")
          #expect(reply == .text(#"{"k":"a","n":2.0,"x":30}"#), "\(key)")
        }
        for key in ["a", #"["a"]"#, #"["a",[2]]"#, "[", "[]"] {
          #expect(try await peer.ask("GET", "feed:composed:item:\(key)") == .null, "\(key)")
        }
        #expect(try await peer.ask("GET", "feed:scalars:item:#1") == .text(#""two""#))
        #expect(try await peer.ask("GET", "feed:scalars:item:#6") == .null)
        #expect(
          try await peer.ask("GET", "feed:keyless:item:#2") == .text(OddDocuments.keyless[2]))
        let several = try await peer.ask(
          "MGET", "feed:scalars:item:#0", "feed:numbers:item:1", "feed:odd:item:none")
        #expect(several == .array([.text("1"), .text(OddDocuments.numbers[1]), .null]))
      }
    }

    @Test("every key of a scan has a value, and DBSIZE is the number of keys")
    func scan() async throws {
      try await serve { peer in
        for count in ["1", "3", "1000"] {
          let keys = Set(try await peer.scan("COUNT", count))
          #expect(keys.isSuperset(of: OddDocuments.keys.map { "feed:odd:item:" + $0 }))
          #expect(keys.isSuperset(of: OddDocuments.numberKeys.map { "feed:numbers:item:" + $0 }))
          #expect(keys.isSuperset(of: (0..<6).map { "feed:scalars:item:#\($0)" }))
          #expect(keys.contains(#"feed:composed:item:["a/b","1"]"#))
          #expect(keys.filter { $0.hasPrefix("feed:keyless:item:") } == ["feed:keyless:item:a"])
          for key in keys {
            #expect(try await peer.ask("EXISTS", key) == .integer(1), "\(key)")
            #expect(try await peer.ask("TYPE", key) == .simple("string"), "\(key)")
            #expect(try await peer.ask("GET", key) != .null, "\(key)")
            #expect(try await peer.ask("STRLEN", key) != .integer(0), "\(key)")
          }
          #expect(try await peer.ask("DBSIZE") == .integer(keys.count))
        }
      }
    }
  }
#endif
