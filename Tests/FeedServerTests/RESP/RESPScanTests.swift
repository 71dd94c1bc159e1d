#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite("SCAN")
  struct RESPScanTests {
    @Test("returns every key of feeds and images", arguments: [1, 10, 1_000])
    func everyKey(_ count: Int) async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(150))
        try room.insert(RESPRoom.universities(20), named: "more")
        try room.database.insert(
          RESPRoom.universities(170).suffix(20), into: FeedName("more"),
          referenceSeconds: RESPRoom.now, appends: true)
        let images = try room.images()
        for number in 0..<30 { try images.insert([1].span.bytes, for: "u\(number)") }
        try await room.connect { (peer: inout RESPPeer) async throws in
          let keys = try await peer.scan("COUNT", "\(count)")
          for key in Set(keys) { #expect(try await peer.ask("EXISTS", key) == .integer(1)) }
          // 190 records, 30 images, and for each feed its generation, its description and a page.
          #expect(Set(keys).count == 226)
          #expect(keys.count == Set(keys).count)
          #expect(try await peer.ask("DBSIZE") == .integer(226))
        }
      }
    }

    @Test("returns all keys that exist during the whole scan, whatever is published meanwhile")
    func acrossIngests() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(400))
        try await room.connect { (peer: inout RESPPeer) async throws in
          var cursor = "0"
          var keys: Set<String> = []
          var turn = 0
          repeat {
            let parts = try #require(
              try await peer.ask("SCAN", cursor, "MATCH", "feed:*:item:*", "COUNT", "7")
            ).elements
            cursor = try #require(parts.first?.text)
            keys.formUnion(parts[1].elements.compactMap(\.text))
            turn += 1
            // Each publish has another order, and new records between the old ones.
            var universities = RESPRoom.universities(400).shuffled()
            universities += (0..<turn).map {
              University(name: "New \(turn) \($0)", country: "N", alphaTwoCode: "NO")
            }
            if turn % 5 == 0 { try room.insert(universities.shuffled()) }
          } while cursor != "0"
          #expect(turn > 20)
          for number in 0..<400 {
            #expect(keys.contains("feed:universities:item:University \(number)"))
          }
        }
      }
    }

    @Test("returns a key that many records share once, and continues after these records")
    func sharedKey() async throws {
      try await RESPRoom.serve { room in
        let shared = (0..<3_000).map { _ in
          University(name: "Same", country: "S", alphaTwoCode: "SS")
        }
        try room.insert(RESPRoom.universities(50) + shared)
        try await room.connect { (peer: inout RESPPeer) async throws in
          let keys = try await peer.scan("MATCH", "*:item:*", "COUNT", "100")
          #expect(keys.count == 51)
          #expect(Set(keys).count == 51)
        }
      }
    }

    @Test("returns only matching keys, and none of an unknown type")
    func filters() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(12))
        try await room.connect { (peer: inout RESPPeer) async throws in
          let keys = try await peer.scan("MATCH", "feed:universities:item:University 1*")
          #expect(keys.sorted() == [1, 10, 11].map { "feed:universities:item:University \($0)" })
          #expect(try await peer.scan("TYPE", "list") == [])
          #expect(try await peer.scan("TYPE", "string").count == 12 + 3)
          #expect(try await peer.scan("MATCH", "feed:{*") == ["feed:{universities}:cur"])
        }
      }
    }

    @Test("visits no more feeds in a call than the count")
    func passedOver() async throws {
      try await RESPRoom.serve { room in
        for number in 0..<30 { try room.insert(RESPRoom.universities(1), named: "f\(number)") }
        let images = try room.images()
        try images.insert([1].span.bytes, for: "u")
        try await room.connect { (peer: inout RESPPeer) async throws in
          let first = try await peer.ask("SCAN", "0", "MATCH", "img:*", "COUNT", "5")?.elements
          #expect(first?.first?.text != "0")
          #expect(first?.last?.elements.isEmpty == true)
          #expect(try await peer.scan("MATCH", "img:*", "COUNT", "5") == ["img:u"])
        }
      }
    }

    @Test("ends a call early if matching the pattern is expensive")
    func longPattern() async throws {
      try await RESPRoom.serve { room in
        let universities = (0..<20).map { number in
          University(
            name: "\(number) " + String(repeating: "a", count: 2_000), country: "N",
            alphaTwoCode: "NO")
        }
        try room.insert(universities)
        try await room.connect { (peer: inout RESPPeer) async throws in
          let pattern = "*" + String(repeating: "[a-z]", count: 200)
          let call = try await peer.ask("SCAN", "0", "MATCH", pattern, "COUNT", "1000")?.elements
          #expect(call?.first?.text != "0")
          let keys = try await peer.scan("MATCH", pattern, "COUNT", "1000")
          #expect(Set(keys) == Set(universities.map { "feed:universities:item:\($0.name)" }))
        }
      }
    }

    @Test(
      "accepts any number as a cursor",
      arguments: [
        "1", "281474976710656", "844424930131968", "1125899906842624", "18446744073709551615",
      ])
    func anyCursor(_ cursor: String) async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(12))
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("SCAN", cursor)?.elements.count == 2)
          #expect(try await peer.ask("SCAN", "-1") == .error("ERR invalid cursor"))
          #expect(try await peer.ask("SCAN", "0", "COUNT", "0") == .error("ERR syntax error"))
        }
      }
    }
  }
#endif
