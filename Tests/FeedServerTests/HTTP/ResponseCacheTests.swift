#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Testing

  @Suite("A cached response over HTTP")
  struct ResponseCacheTests {
    private static let image = "/images?url=https%3A%2F%2Fexample.org%2Fa.png"
    private static let record = "/feeds/universities/records/U0"

    private static func database(_ image: [UInt8]) throws -> FeedDatabase {
      let database = try FeedDatabase.universities(3)
      let images = try ImageStore.open(at: database.directory)
      try images.insert(image.span.bytes, for: "https://example.org/a.png")
      return database
    }

    @Test("is the same except for the date", arguments: [record, image])
    func same(target: String) async throws {
      try await TestServer.with(Self.database([UInt8](repeating: 7, count: 50_000))) { server in
        let slow = try await server.get(target)
        #expect(server.metrics.hotAnswers == 0)
        let fast = try await server.get(target)
        #expect(server.metrics.hotAnswers == 1)
        #expect(fast.undatedHead == slow.undatedHead)
        #expect(fast["date"] != nil)
        #expect(fast.body == slow.body)
      }
    }

    @Test("equals the response of the regular path, as does a record read on the event loop")
    func longWay() async throws {
      try await TestServer.with(Self.database([1])) { server in
        let keys = ["U0", "U1", "U2", "U%31", "U%30"]
        for (number, key) in keys.enumerated() {
          let target = "/feeds/universities/records/" + key
          let atOnce = try await server.get(target)
          // The last response of a connection never comes from the cache.
          let slow = try await server.get(target, ["Connection": "close"])
          let kept = try await server.get(target)
          #expect(server.metrics.hotAnswers == number + 1)
          #expect(slow["connection"] == "close")
          let head = slow.undatedHead.filter { !$0.lowercased().hasPrefix("connection:") }
          for fast in [atOnce, kept] {
            #expect(fast.undatedHead == head)
            #expect(fast.body == slow.body)
          }
        }
        #expect(server.metrics.lookupCounts == (15, 0))
      }
    }

    @Test("is not kept for a missing record, which is looked up once per request")
    func otherRecords() async throws {
      try await TestServer.with(Self.database([1])) { server in
        for _ in 0..<2 {
          let missing = try await server.get("/feeds/universities/records/nobody")
          #expect(missing.status == 404)
          #expect(try await server.get("/feeds/nothing/records/U0").status == 404)
          let all = try await server.get(Self.record + "?all=1")
          #expect(all.text.hasPrefix("[{"))
        }
        #expect(server.metrics.lookupCounts == (2, 2))
      }
    }

    @Test("is not kept for a feed with a policy, whose records are looked up once per request")
    func policy() async throws {
      var configuration = ServerConfiguration()
      configuration.policies[try FeedName("universities")] = .news
      let database = try FeedDatabase.universities(
        1, seconds: Date().timeIntervalSinceReferenceDate)
      try await TestServer.with(database, configuration) { server in
        for _ in 0..<2 {
          let answer = try await server.get(Self.record)
          #expect(answer.status == 200)
        }
        #expect(server.metrics.hotAnswers == 0)
        #expect(server.metrics.lookupCounts == (2, 0))
      }
    }

    @Test("is not kept if it exceeds the maximum size")
    func longRecord() async throws {
      let database = try FeedDatabase.openPrivate()
      // The JSON escape of each byte has six bytes.
      let long = String(repeating: "\u{1}", count: 50_000)
      let records = ["long": long, "short": ""].map { name, country in
        University(name: name, country: country, alphaTwoCode: "XX")
      }
      try database.insert(records, into: FeedName("universities"), referenceSeconds: 1)
      try await TestServer.with(database) { server in
        for key in ["short", "long", "long"] {
          let answer = try await server.get("/feeds/universities/records/\(key)")
          #expect(answer.status == 200)
        }
        #expect(server.metrics.hotAnswers == 0)
      }
    }

    @Test("is not used for conditional and range requests")
    func conditions() async throws {
      try await TestServer.with(Self.database([1, 2, 3])) { server in
        let tag = try #require(try await server.get(Self.image)["etag"])
        #expect(try await server.get(Self.image, ["If-None-Match": tag]).status == 304)
        #expect(try await server.get(Self.image, ["Range": "bytes=1-1"]).body == [2])
        #expect(try await server.get(Self.image, method: "HEAD").body == [])
        #expect(server.metrics.hotAnswers == 0)
      }
    }

    @Test("is not added for a very long target")
    func longTarget() async throws {
      try await TestServer.with(Self.database([1])) { server in
        let target = Self.record + "?" + String(repeating: "&", count: 3_000)
        for _ in 0..<2 {
          let answer = try await server.get(target)
          #expect(answer.status == 200)
        }
        #expect(server.metrics.hotAnswers == 0)
      }
    }

    @Test("has a Last-Modified once the second of the change has passed")
    func youngImage() async throws {
      try await TestServer.with(Self.database([1])) { server in
        var answer = try await server.get(Self.image)
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while answer["last-modified"] == nil, clock.now < end {
          try await Task.sleep(for: .milliseconds(20))
          answer = try await server.get(Self.image)
        }
        #expect(answer["last-modified"] != nil)
      }
    }

    @Test("is not used after the feed was replaced")
    func replacedFeed() async throws {
      try await TestServer.with(Self.database([1])) { server in
        for prefix in ["U", "V"] {
          let record = try await server.get(Self.record)
          #expect(record.status == (prefix == "U" ? 200 : 404))
          try server.database.insertUniversities(3, prefix: "V")
        }
      }
    }

    @Test("is not used after the image was replaced or removed")
    func replacedImage() async throws {
      try await TestServer.with(Self.database([1])) { server in
        let images = try ImageStore.open(at: server.database.directory)
        #expect(try await server.get(Self.image).body == [1])
        try images.insert(([2] as [UInt8]).span.bytes, for: "https://example.org/a.png")
        let replaced = try await server.get(Self.image)
        #expect(replaced.body == [2])
        try images.remove("https://example.org/a.png")
        #expect(try await server.get(Self.image).status == 404)
      }
    }

    @Test("keeps its order among uncached responses")
    func order() async throws {
      try await TestServer.with(Self.database([9])) { server in
        _ = try await server.get(Self.record)
        let targets = ["/feeds", Self.record, "/nothing", Self.record, "/healthz", Self.image]
        let statuses = try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(targets.map { TestServer.request($0) }.joined())
          var statuses: [Int?] = []
          var bodies: [String] = []
          for _ in targets {
            let answer = try await input.answer()
            statuses.append(answer?.status)
            bodies.append(answer?.text ?? "")
          }
          #expect(bodies[1] == bodies[3])
          #expect(bodies[4] == "ok\n")
          return statuses
        }
        #expect(statuses == [200, 200, 404, 200, 200, 200])
      }
    }
  }
#endif
