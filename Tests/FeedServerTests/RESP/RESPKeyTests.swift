#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Testing

  @Suite("Keys over RESP")
  struct RESPKeyTests {
    @Test("a record is found by its feed and its key, as the JSON of its contract")
    func record() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(3))
        try await room.connect { (peer: inout RESPPeer) async throws in
          // The second time it comes from the cache.
          for _ in 0..<2 {
            let reply = try await peer.ask("GET", "feed:universities:item:University 2")
            #expect(reply == .text(RESPRoom.json(2)))
          }
          let nothing = ["feed:universities:item:x", "feed:other:item:University 2", "x", ""]
          for key in nothing {
            #expect(try await peer.ask("GET", key) == .null)
            #expect(try await peer.ask("TYPE", key) == .simple("none"))
            #expect(try await peer.ask("TTL", key) == .integer(-2))
          }
          #expect(
            try await peer.ask("TYPE", "feed:universities:item:University 2") == .simple("string"))
        }
      }
    }

    @Test("a pipeline reads cached, uncached, missing and long records in order")
    func pipeline() async throws {
      try await RESPRoom.serve { room in
        let long = String(repeating: "long ", count: 20_000)
        try room.insert(
          RESPRoom.universities(30)
            + [University(name: "long", country: long, alphaTwoCode: "LO")])
        try await room.connect { (peer: inout RESPPeer) async throws in
          // The second round reads cached records, the third a new generation.
          for country in ["Nowhere", "Nowhere", "Elsewhere"] {
            let keys = (0..<100).map { $0 * 7 % 40 }
            let commands = keys.map { number in
              let key = number == 35 ? "long" : "University \(number)"
              return RESPPeer.command(["GET", "feed:universities:item:\(key)"])
            }
            if country != "Nowhere" { try room.insert(RESPRoom.universities(30, country: country)) }
            try await peer.send(raw: commands.joined() + RESPPeer.command(["PING"]))
            for number in keys {
              let reply = try await peer.reply()
              if number == 35, country == "Nowhere" {
                #expect(reply?.text?.contains(long) == true)
              } else if number < 30 {
                #expect(reply == .text(RESPRoom.json(number, country: country)))
              } else {
                #expect(reply == .null)
              }
            }
            #expect(try await peer.reply() == .simple("PONG"))
          }
        }
        #expect(room.lookups.hits > 200)
      }
    }

    @Test("a pipeline reads records of several feeds and kinds, also while a feed is replaced")
    func severalFeeds() async throws {
      try await RESPRoom.serve(.with { $0.cacheBytes = 0 }) { room in
        let images = try (0..<40).map { number in
          FeedImage(id: UUID(), url: try #require(URL(string: "https://\(number).example/a.png")))
        }
        try room.database.insert(
          images, into: try FeedName("images"), referenceSeconds: RESPRoom.now)
        for country in ["Nowhere", "Elsewhere"] {
          try room.insert(RESPRoom.universities(500, country: country))
          try room.insert(RESPRoom.universities(500, country: "There"), named: "others")
          try await room.connect { (peer: inout RESPPeer) async throws in
            // The first round fills the cache of locations, which the second one uses.
            for _ in 0..<2 {
              let keys = (0..<500).flatMap { number in
                [
                  "universities:item:University \(number)", "others:item:University \(number)",
                  "images:item:\(images[number % 40].id)", "absent:item:\(number)",
                ]
              }
              let commands = keys.map { RESPPeer.command(["GET", "feed:\($0)"]) }
              try await peer.send(raw: commands.joined())
              for number in 0..<500 {
                let expected = RESPReply.text(RESPRoom.json(number, country: country))
                #expect(try await peer.reply() == expected)
                #expect(
                  try await peer.reply() == .text(RESPRoom.json(number, country: "There")))
                let image = try await peer.reply()?.text ?? ""
                #expect(image.contains(images[number % 40].url.absoluteString))
                #expect(try await peer.reply() == .null)
              }
            }
          }
        }
      }
    }

    @Test("responses are the same without memory for a cache")
    func noCache() async throws {
      try await RESPRoom.serve(.with { $0.cacheBytes = 0 }) { room in
        try room.insert(RESPRoom.universities(3))
        try await room.connect { (peer: inout RESPPeer) async throws in
          for _ in 0..<2 {
            let reply = try await peer.ask("GET", "feed:universities:item:University 1")
            #expect(reply == .text(RESPRoom.json(1)))
          }
        }
      }
    }

    @Test("the first of several records with one key is returned")
    func firstOfSeveral() async throws {
      try await RESPRoom.serve { room in
        try room.insert([
          University(name: "A", country: "first", alphaTwoCode: "AA"),
          University(name: "A", country: "second", alphaTwoCode: "AA"),
        ])
        try await room.connect { (peer: inout RESPPeer) async throws in
          let text = try await peer.ask("GET", "feed:universities:item:A")?.text
          #expect(text?.contains("first") == true)
        }
      }
    }

    @Test("a record whose key is a UUID is found by its text in either case")
    func identifiers() async throws {
      try await RESPRoom.serve { room in
        let image = FeedImage(
          id: UUID(uuidString: "A0000000-0000-0000-0000-00000000000b") ?? UUID(),
          url: URL(fileURLWithPath: "/a"))
        try room.database.insert(
          [image], into: FeedName("images"), referenceSeconds: RESPRoom.now)
        try await room.connect { (peer: inout RESPPeer) async throws in
          let key = "feed:images:item:\(image.id.uuidString)"
          #expect(try await peer.ask("GET", key)?.text?.contains(image.id.uuidString) == true)
          #expect(try await peer.ask("EXISTS", key.lowercased()) == .integer(1))
          #expect(try await peer.ask("GET", "feed:images:item:no-uuid") == .null)
        }
      }
    }

    @Test("MGET returns the values in the order of the keys, and null for missing ones")
    func several() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(2))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let reply = try await peer.ask(
            "MGET", "feed:universities:item:University 1", "x",
            "feed:universities:item:University 0")
          #expect(reply == .array([.text(RESPRoom.json(1)), .null, .text(RESPRoom.json(0))]))
          #expect(
            try await peer.ask("EXISTS", "feed:{universities}:cur", "feed:{universities}:cur", "x")
              == .integer(2))
        }
      }
    }

    @Test("the pages of a generation hold all of its records in order, in at most 64 KiB each")
    func pages() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(4_000))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let generation = try #require(try await peer.ask("GET", "feed:{universities}:cur")?.text)
          let prefix = "feed:universities:\(generation)"
          let meta = try #require(try await peer.ask("GET", prefix + ":meta")?.text)
          #expect(meta.contains(#""records":4000"#) && meta.contains(#""name":"universities""#))
          var names: [String] = []
          var number = 0
          while case .bulk(let page)? = try await peer.ask("GET", prefix + ":p:\(number)") {
            #expect(page.count <= 64 << 10)
            names += try JSONDecoder().decode([University].self, from: Data(page)).map(\.name)
            number += 1
          }
          #expect(number > 4)
          #expect(names == (0..<4_000).map { "University \($0)" })
          #expect(
            try await peer.ask("EXISTS", prefix + ":p:0", prefix + ":p:\(number)") == .integer(1))
        }
      }
    }

    @Test("a late page is found without reading the earlier ones")
    func farPage() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(20_000))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let generation = try #require(try await peer.ask("GET", "feed:{universities}:cur")?.text)
          let key = "feed:universities:\(generation):p:30"
          let page = try #require(try await peer.ask("GET", key)?.text)
          #expect(page.hasPrefix(#"[{"name":"University "#))
          #expect(try await peer.ask("STRLEN", key) == .integer(page.utf8.count))
          #expect(try await peer.ask("GET", "feed:universities:\(generation):p:99999") == .null)
        }
      }
    }

    @Test(
      "a page after the last one does not exist for any command",
      arguments: [50, 3_999, 4_000, Int.max])
    func noPage(_ number: Int) async throws {
      for command in ["EXISTS", "TYPE", "TTL", "PEXPIRETIME"] {
        try await RESPRoom.serve { room in
          try room.insert(RESPRoom.universities(4_000))
          try await room.connect { (peer: inout RESPPeer) async throws in
            let generation = try #require(
              try await peer.ask("GET", "feed:{universities}:cur")?.text)
            let key = "feed:universities:\(generation):p:\(number)"
            let answer = try await peer.ask(command, key)
            switch command {
            case "EXISTS": #expect(answer == .integer(0))
            case "TYPE": #expect(answer == .simple("none"))
            default: #expect(answer == .integer(-2))
            }
          }
        }
      }
    }

    @Test("a connected client sees a new generation with its next command")
    func published() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          for turn in 0..<20 {
            try room.insert(RESPRoom.universities(3, country: "Turn \(turn)"))
            let reply = try await peer.ask("GET", "feed:universities:item:University 1")
            #expect(reply == .text(RESPRoom.json(1, country: "Turn \(turn)")))
          }
          let generation = try #require(try await peer.ask("GET", "feed:{universities}:cur")?.text)
          try room.insert(RESPRoom.universities(1))
          #expect(try await peer.ask("GET", "feed:universities:\(generation):meta") == .null)
          #expect(try await peer.ask("GET", "feed:universities:\(generation):p:0") == .null)
          #expect(try await peer.ask("GET", "feed:universities:item:University 2") == .null)
          try room.database.delete(FeedName("universities"))
          #expect(try await peer.ask("GET", "feed:universities:item:University 0") == .null)
        }
      }
    }

    @Test("a key has the time to live that the policy gives its feed")
    func life() async throws {
      let name = try FeedName("daily")
      try await RESPRoom.serve(.with { $0.policies[name] = CachePolicy(maximumAge: .days(1)) }) {
        room in
        try room.insert(RESPRoom.universities(1))
        try room.insert(RESPRoom.universities(1), named: "daily", at: RESPRoom.now - 3_600)
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("TTL", "feed:universities:item:University 0") == .integer(-1))
          let seconds = try #require(
            try await peer.ask("TTL", "feed:daily:item:University 0")?.integer)
          #expect((80_000...82_800).contains(seconds))
          let exact = try #require(try await peer.ask("PTTL", "feed:{daily}:cur")?.integer)
          #expect((80_000_000...82_800_000).contains(exact))
          let end = try #require(try await peer.ask("EXPIRETIME", "feed:{daily}:cur")?.integer)
          let exactEnd = try #require(
            try await peer.ask("PEXPIRETIME", "feed:{daily}:cur")?.integer)
          #expect(abs(exactEnd - end * 1_000) <= 500)
          #expect(try await peer.ask("EXPIRETIME", "feed:{universities}:cur") == .integer(-1))

          #expect(
            try await peer.ask("GET", "feed:daily:item:University 0") == .text(RESPRoom.json(0)))
          try room.insert(RESPRoom.universities(1), named: "daily", at: RESPRoom.now - 86_400 * 2)
          for key in ["feed:daily:item:University 0", "feed:{daily}:cur"] {
            #expect(try await peer.ask("GET", key) == .null)
            #expect(try await peer.ask("TTL", key) == .integer(-2))
          }
          #expect(try await peer.scan("MATCH", "feed:*daily*") == [])
        }
      }
    }

    @Test("an image is found by its URL, whatever its size", arguments: [0, 3, 50_000, 3 << 20])
    func images(_ size: Int) async throws {
      try await RESPRoom.serve { room in
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let images = try room.images()
        let expiry = RESPRoom.now + 100
        try images.insert(
          bytes.span.bytes, for: "https://example.org/a",
          ImageMetadata(expiryReferenceSeconds: expiry))
        try images.insert(
          bytes.span.bytes, for: "https://example.org/old", ImageMetadata(expiryReferenceSeconds: 0)
        )
        try await room.connect { (peer: inout RESPPeer) async throws in
          let key = "img:https://example.org/a"
          #expect(try await peer.ask("GET", key) == .bulk(bytes))
          #expect(try await peer.ask("STRLEN", key) == .integer(size))
          #expect(
            try await peer.ask("MGET", key, "x", key)
              == .array([.bulk(bytes), .null, .bulk(bytes)]))
          let seconds = try #require(try await peer.ask("TTL", key)?.integer)
          #expect((1...100).contains(seconds))
          #expect(try await peer.ask("GET", "img:https://example.org/old") == .null)
          #expect(try await peer.ask("GET", "img:https://example.org/b") == .null)
          #expect(try await peer.scan("MATCH", "img:*") == [key])
        }
      }
    }

    @Test(
      "GETRANGE counts from both ends as Redis does",
      arguments: [
        (0, 3), (-3, -1), (0, -1), (10, 100), (5, 3), (-5, -8), (0, -100), (299_990, 300_100),
        (262_150, 262_170), (Int.min, Int.max), (Int.max, Int.min),
      ])
    func ranges(_ first: Int, _ last: Int) async throws {
      try await RESPRoom.serve { room in
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        let images = try room.images()
        try images.insert(bytes.span.bytes, for: "a")
        try room.insert(RESPRoom.universities(1))
        let json = Array(RESPRoom.json(0).utf8)
        try await room.connect { (peer: inout RESPPeer) async throws in
          for (key, value) in [("img:a", bytes), ("feed:universities:item:University 0", json)] {
            let reply = try await peer.ask("GETRANGE", key, "\(first)", "\(last)")
            #expect(reply == .bulk(Self.range(of: value, first, last)))
          }
          #expect(try await peer.ask("GETRANGE", "img:b", "0", "1") == .text(""))
        }
      }
    }

    /// As Redis' documentation defines it.
    private static func range(of value: [UInt8], _ first: Int, _ last: Int) -> [UInt8] {
      let count = value.count
      let start = first < 0 ? max(first.addingReportingOverflow(count).partialValue, 0) : first
      let end = last < 0 ? last.addingReportingOverflow(count).partialValue : min(last, count - 1)
      guard start < count, start <= max(end, 0) else { return [] }
      if first < 0, last < 0, first > last { return [] }
      return Array(value[start...max(end, 0)])
    }
  }
#endif
