#if Server
  @testable import FeedServer
  import FeedCore
  import Foundation
  import TestSupport
  import Testing

  @Suite("WATCH")
  struct RESPWatchTests {
    private static let key = "feed:universities:item:University 0"
    private static let url = "https://example.org/a.png"
    private static let done = RESPReply.array([.simple("PONG")])

    /// Watches keys, then makes a change, and returns the response to a transaction.
    private func exec(
      watching keys: [String], in room: RESPRoom, _ version: String = "2",
      _ change: () throws -> Void
    ) async throws -> RESPReply? {
      try await room.connect { (peer: inout RESPPeer) async throws in
        _ = try await peer.ask("HELLO", version)
        try await peer.send(raw: RESPPeer.command(["WATCH"] + keys))
        #expect(try await peer.reply() == .simple("OK"))
        try change()
        #expect(try await peer.ask("MULTI") == .simple("OK"))
        #expect(try await peer.ask("PING") == .simple("QUEUED"))
        let answer = try await peer.ask("EXEC")
        // Nothing is watched any more.
        #expect(try await peer.ask("MULTI") == .simple("OK"))
        #expect(try await peer.ask("EXEC") == .array([]))
        return answer
      }
    }

    @Test(
      "EXEC returns null if the feed of a watched key was replaced, deleted or published",
      arguments: ["2", "3"])
    func feeds(_ version: String) async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        let replace = { try room.insert(RESPRoom.universities(1)) }
        for key in [Self.key, "feed:{universities}:cur", "feed:universities:1:meta"] {
          #expect(try await exec(watching: ["nothing", key], in: room, version, replace) == .null)
        }
        let delete = { _ = try room.database.delete(FeedName("universities")) }
        #expect(try await exec(watching: [Self.key], in: room, version, delete) == .null)
        #expect(try await exec(watching: [Self.key], in: room, version, replace) == .null)
      }
    }

    @Test("EXEC returns null if a watched image was stored, replaced or removed")
    func images() async throws {
      try await RESPRoom.serve { room in
        let images = try room.images()
        for bytes in [[1], [2], [2]] as [[UInt8]] {
          let answer = try await exec(watching: ["img:a"], in: room) {
            try images.insert(bytes.span.bytes, for: "a")
          }
          #expect(answer == .null)
        }
        let answer = try await exec(watching: ["img:a"], in: room) { _ = try images.remove("a") }
        #expect(answer == .null)
      }
    }

    @Test("changes of other feeds and images do not affect EXEC")
    func others() async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        let images = try room.images()
        try images.insert([1].span.bytes, for: "a")
        let keys = [Self.key, "img:a", "img:none", "nothing", "feed:none:item:x", "feed:"]
        let answer = try await exec(watching: keys, in: room) {
          try room.insert(RESPRoom.universities(2), named: "more")
          try images.insert([1].span.bytes, for: "b")
        }
        #expect(answer == Self.done)
      }
    }

    @Test("EXEC returns null if the feed of a watched key has expired")
    func expiry() async throws {
      let name = try FeedName("universities")
      let policy = CachePolicy.essential
      try await RESPRoom.serve(.with { $0.policies[name] = policy }) { room in
        let age = try #require(policy.expiry(of: Date(timeIntervalSinceReferenceDate: 0)))
        try await room.connect { (peer: inout RESPPeer) async throws in
          // On a slow machine a feed may expire before it is watched.
          var rest = 0.25
          repeat {
            #expect(try await peer.ask("UNWATCH") == .simple("OK"))
            rest *= 2
            let timestamp = RESPRoom.now - age.timeIntervalSinceReferenceDate + rest
            try room.insert(RESPRoom.universities(1), at: timestamp)
            #expect(try await peer.ask("WATCH", Self.key) == .simple("OK"))
          } while try await peer.ask("EXISTS", Self.key) == .integer(0)
          while try await peer.ask("EXISTS", Self.key) == .integer(1) { await Task.yield() }
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("EXEC") == .null)
        }
      }
    }

    @Test(
      "UNWATCH, DISCARD, RESET and EXEC end the watch",
      arguments: [
        ["UNWATCH"], ["MULTI", "DISCARD"], ["RESET"], ["MULTI", "EXEC"], ["MULTI", "NONE", "EXEC"],
      ])
    func ended(_ words: [String]) async throws {
      try await RESPRoom.serve { room in
        try room.insert(RESPRoom.universities(1))
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("WATCH", Self.key) == .simple("OK"))
          for word in words { _ = try await peer.ask(word) }
          try room.insert(RESPRoom.universities(1))
          #expect(try await peer.ask("MULTI") == .simple("OK"))
          #expect(try await peer.ask("PING") == .simple("QUEUED"))
          #expect(try await peer.ask("EXEC") == Self.done)
        }
      }
    }

    @Test("EXEC returns null after a change by another process")
    func otherProcess() async throws {
      let products = try #require(BuildProducts.directory)
      let directory = try TemporaryDirectory()
      var options = FeedDatabase.Options()
      options.mapSize = 1 << 32
      let database = try FeedDatabase.open(at: directory.path + "/store", options: options)
      try await RESPRoom.serve(store: database) { room in
        try room.insert(RESPRoom.universities(1))
        try room.images().insert([1].span.bytes, for: Self.url)
        let file = directory.path + "/file"
        func run(_ words: [String]) throws {
          let command = try RunningCommand(
            products + "/feedcore", words + ["--store", database.directory],
            environment: [:], input: .nothing, output: .nothing, errors: .nothing)
          #expect(command.wait() == 0)
        }
        let feed = try await exec(watching: [Self.key], in: room) {
          try Data("[\(RESPRoom.json(0))]".utf8).write(to: URL(filePath: file))
          try run(["ingest", file, "--feed", "universities"])
        }
        #expect(feed == .null)
        let image = try await exec(watching: ["img:" + Self.url], in: room) {
          try Data([2]).write(to: URL(filePath: file))
          try run(["images", "put", Self.url, file])
        }
        #expect(image == .null)
      }
    }

    @Test("the number of watched feeds and images is bounded, and the client continues")
    func bounded() async throws {
      var limits = RESPWorker.Limits()
      limits.watches = 3
      try await RESPRoom.serve(ServerConfiguration(), limits) { room in
        try await room.connect { (peer: inout RESPPeer) async throws in
          #expect(try await peer.ask("WATCH", "img:1", "img:2", "img:3", "x", "y") == .simple("OK"))
          #expect(try await peer.ask("WATCH", "img:1", "img:2", "z") == .simple("OK"))
          #expect(
            try await peer.ask("WATCH", "img:4")
              == .error(
                "ERR too many watched keys: a client can watch 3 feeds and images; none is watched"
                  + " now"))
          #expect(room.refusals(.tooLarge) == 1)
          #expect(try await peer.ask("PING") == .simple("PONG"))
        }
      }
    }
  }
#endif
