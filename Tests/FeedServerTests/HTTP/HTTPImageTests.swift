#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Testing

  @Suite("An image over HTTP")
  struct HTTPImageTests {
    private static let url = "https://example.org/a.png"
    private static let target = "/images?url=https%3A%2F%2Fexample.org%2Fa.png"

    private static func database(_ bytes: [UInt8]) throws -> FeedDatabase {
      let database = try FeedDatabase.universities(1)
      let images = try ImageStore.open(at: database.directory)
      try images.insert(bytes.span.bytes, for: url, ImageMetadata(contentType: "image/png"))
      return database
    }

    @Test("is sent with its type, and not executed by browsers")
    func whole() async throws {
      try await TestServer.with(Self.database(Array(0..<200))) { server in
        let image = try await server.get(Self.target)
        #expect(image.status == 200)
        #expect(image.body == Array(0..<200))
        #expect(image["content-type"] == "image/png")
        #expect(image["accept-ranges"] == "bytes")
        #expect(image["x-content-type-options"] == "nosniff")
        #expect(image["content-security-policy"]?.contains("sandbox") == true)
      }
    }

    @Test(
      "is sent in part",
      arguments: [
        ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=190-", 190..<200),
        ("bytes=-5", 195..<200), ("bytes=-500", 0..<200), ("bytes=0-999", 0..<200),
      ])
    func ranges(field: String, bytes: Range<Int>) async throws {
      try await TestServer.with(Self.database(Array(0..<200))) { server in
        let part = try await server.get(Self.target, ["Range": field])
        #expect(part.status == 206)
        #expect(part.body == bytes.map { UInt8($0) })
        #expect(
          part["content-range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/200")
      }
    }

    @Test("has no range after its end", arguments: ["bytes=200-", "bytes=-0"])
    func unsatisfiable(field: String) async throws {
      try await TestServer.with(Self.database(Array(0..<200))) { server in
        let part = try await server.get(Self.target, ["Range": field])
        #expect(part.status == 416)
        #expect(part["content-range"] == "bytes */200")
        // Otherwise a cache would return it to other clients.
        #expect(part["cache-control"] == "no-store")
      }
    }

    @Test("that expires may be cached until its expiry at most")
    func expiring() async throws {
      let database = try FeedDatabase.universities(1)
      let images = try ImageStore.open(at: database.directory)
      let expiry = Date().timeIntervalSinceReferenceDate + 3_600
      try images.insert(
        [1, 2, 3].span.bytes, for: Self.url, ImageMetadata(expiryReferenceSeconds: expiry))
      try await TestServer.with(database) { server in
        for _ in 0..<2 {
          let field = try #require(try await server.get(Self.target)["cache-control"])
          let age = try #require(field.wholeMatch(of: /public, max-age=(\d+), must-revalidate/))
          #expect((3_000...3_600).contains(try #require(Int(age.1))))
        }
        try images.insert(
          [1, 2, 3].span.bytes, for: Self.url, ImageMetadata(expiryReferenceSeconds: 1))
        #expect(try await server.get(Self.target).status == 404)
      }
    }

    @Test("is sent whole if the range is of another version or invalid")
    func otherVersion() async throws {
      try await TestServer.with(Self.database(Array(0..<200))) { server in
        let tag = try #require(try await server.get(Self.target)["etag"])
        let same = try await server.get(Self.target, ["Range": "bytes=0-1", "If-Range": tag])
        #expect(same.status == 206)
        for fields in [
          ["Range": "bytes=0-1", "If-Range": "\"x\""],
          ["Range": "bytes=0-1", "If-Range": "W/\(tag)"],
          ["Range": "bytes=0-1,5-6"], ["Range": "lines=0-1"], ["Range": "bytes=5-1"],
        ] {
          let whole = try await server.get(Self.target, fields)
          #expect(whole.status == 200)
          #expect(whole.body.count == 200)
        }
      }
    }

    @Test("of many chunks is sent whole and in ranges across them")
    func large() async throws {
      let bytes = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      try await TestServer.with(Self.database(bytes)) { server in
        #expect(try await server.get(Self.target).body == bytes)
        let part = try await server.get(Self.target, ["Range": "bytes=262000-800000"])
        #expect(part.body == Array(bytes[262_000...800_000]))
      }
    }

    @Test("that is not stored is not found without an origin")
    func missing() async throws {
      try await TestServer.with(.universities(1)) { server in
        let missing = try await server.get(Self.target)
        #expect(missing.status == 404)
        let unnamed = try await server.get("/images")
        #expect(unnamed.status == 400)
      }
    }
  }
#endif
