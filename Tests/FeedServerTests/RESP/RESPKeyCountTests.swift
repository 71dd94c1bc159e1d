#if Server
  @testable import FeedServer
  import FeedCore
  import Foundation
  import NIOCore
  import Testing

  @Suite("The number of keys over RESP")
  struct RESPKeyCountTests {
    /// Verifies that the number of keys is that of a scan, and returns it.
    private func count(_ peer: inout RESPPeer) async throws -> Int {
      let scanned = Set(try await peer.scan("COUNT", "1000")).count
      #expect(try await peer.ask("DBSIZE") == .integer(scanned))
      let keyspace = try await peer.ask("INFO", "keyspace")?.text ?? ""
      #expect(
        scanned == 0
          ? keyspace == "# Keyspace\r\n" : keyspace.contains("db0:keys=\(scanned),expires="))
      return scanned
    }

    @Test("DBSIZE and INFO count the keys that SCAN returns, whatever is published")
    func equal() async throws {
      try await RESPRoom.serve { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await count(&peer) == 0)
          // Several pages, and keys that several records share.
          try room.insert(RESPRoom.universities(3_000) + RESPRoom.universities(100))
          let all = try await count(&peer)
          #expect((3_000 + 2 + 2...3_000 + 2 + 10).contains(all))
          // The same keys and new ones in a further segment.
          try room.database.insert(
            RESPRoom.universities(3_010).suffix(20), into: FeedName("universities"),
            referenceSeconds: RESPRoom.now, appends: true)
          // The records may need another page.
          let appended = try await count(&peer)
          #expect((all + 10...all + 11).contains(appended))
          try room.insert([], named: "empty")
          #expect(try await count(&peer) == appended + 2)
          let images = try room.images()
          try images.insert([1].span.bytes, for: "a")
          #expect(try await count(&peer) == appended + 3)
          try room.database.delete(FeedName("universities"))
          #expect(try await count(&peer) == 3)
        }
      }
    }

    @Test("keys that many records share are counted as a scan returns them")
    func shared() async throws {
      try await RESPRoom.serve { room in
        let shared = (0..<5_000).map { _ in
          University(name: "Same", country: "S", alphaTwoCode: "SS")
        }
        try room.insert(RESPRoom.universities(50) + shared)
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await count(&peer) > 53)
        }
      }
    }

    @Test("expired feeds and images are not counted, and expiring keys are counted as such")
    func expiries() async throws {
      let names = try [FeedName("expiring"), FeedName("expired")]
      let configuration = ServerConfiguration.with { configuration in
        for name in names { configuration.policies[name] = .essential }
      }
      try await RESPRoom.serve(configuration) { room in
        try room.insert(RESPRoom.universities(3), named: "expiring")
        try room.insert(RESPRoom.universities(3), named: "lasting")
        try room.insert(RESPRoom.universities(3), named: "expired", at: 0)
        let images = try room.images()
        for (url, expiry) in [("a", nil), ("b", RESPRoom.now + 500), ("c", RESPRoom.now - 1)] {
          try images.insert(
            [1].span.bytes, for: url, ImageMetadata(expiryReferenceSeconds: expiry))
        }
        try await room.connect { (peer: inout RESPPeer) async throws in
          // Each feed has three records, a page, its generation and its description.
          #expect(try await count(&peer) == 6 + 6 + 2)
          let text = try await peer.ask("INFO", "keyspace")?.text ?? ""
          #expect(text.contains("db0:keys=14,expires=7,avg_ttl="))
          var expiring = 0
          for key in try await peer.scan() {
            if try await peer.ask("TTL", key)?.integer ?? -2 >= 0 { expiring += 1 }
          }
          #expect(expiring == 7)
          let average = try #require(
            Int(text.split(separator: "=").last?.prefix { $0.isNumber } ?? ""))
          let feed = try #require(try await peer.ask("PTTL", "feed:{expiring}:cur")?.integer)
          #expect(abs(average - (6 * feed + 500_000) / 7) < 60_000)
        }
      }
    }

    @Test("a count runs in short steps, and the next count uses its result")
    func steps() throws {
      let database = try FeedDatabase.openPrivate()
      try database.insert(
        RESPRoom.universities(10_000), into: FeedName("universities"),
        referenceSeconds: RESPRoom.now)
      let keyspace = Keyspace(ServedStore(database), policies: [:], cacheBytes: 0)
      keyspace.begin()
      func steps() throws -> (steps: Int, keys: Int) {
        var keys = KeyCount()
        var steps = 0
        var shouldContinue = true
        while shouldContinue {
          keyspace.work = 0
          shouldContinue = try keyspace.continueCount(&keys)
          steps += 1
          // A page is the longest step.
          #expect(keyspace.work < 5 * Keyspace.maximumPageBytes)
        }
        return (steps, keys.count)
      }
      let first = try steps()
      #expect(first.steps > 10 && first.keys > 10_000)
      let second = try steps()
      #expect(second.steps < 5 && second.keys == first.keys)
    }

    @Test("MGET and EXISTS take a hundred thousand keys")
    func manyKeys() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1_000))
        let keys = (0..<100_000).map { "feed:universities:item:University \($0 % 1_100)" }
        try await room.connect { (peer: inout RESPPeer) async throws in
          try await peer.send(raw: RESPPeer.command(["EXISTS"] + keys))
          let present = (0..<100_000).count { $0 % 1_100 < 1_000 }
          #expect(try await peer.reply() == .integer(present))
          try await peer.send(raw: RESPPeer.command(["GET", keys[7]]))
          #expect(try await peer.reply() == .text(RESPRoom.json(7)))
        }
        let received = try await RESPLateReader.responses(
          to: ByteBuffer(string: RESPPeer.command(["MGET"] + keys) + "PING\r\n"),
          at: room.address)
        var expected = "*100000\r\n"
        for number in 0..<100_000 {
          let json = RESPRoom.json(number % 1_100)
          expected += number % 1_100 < 1_000 ? "$\(json.utf8.count)\r\n\(json)\r\n" : "$-1\r\n"
        }
        #expect(String(buffer: received) == expected + "+PONG\r\n")
      }
    }
  }
#endif
