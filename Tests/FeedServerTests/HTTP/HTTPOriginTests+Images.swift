#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import LoopbackServer
  import Testing

  // The images that a feed from a service names.
  extension HTTPOriginTests {
    @Test("has its images fetched and stored, but no other URL")
    func images() async throws {
      let service = try await Self.service()
      try await Self.with(service) { server in
        _ = try await server.get("/v1/feed")
        let host = service.url.absoluteString.replacing("://", with: "%3A%2F%2F")
        for _ in 0..<2 {
          let image = try await server.get("/images?url=\(host)%2Fa.png")
          #expect(image.status == 200)
          #expect(image.text == "png")
          #expect(image["content-type"] == "image/png")
        }
        let other = try await server.get("/images?url=\(host)%2Fsecret")
        #expect(other.status == 404)
        #expect(server.metrics.refusals(.foreignURL, of: .http) == 1)
      }
      #expect(service.requests.map(\.path) == ["/feed", "/a.png"])
    }

    @Test("has no images fetched from private networks, except from its service or if allowed")
    func privateImages() async throws {
      let other = try await LoopbackServer { _ in
        ServedResponse(fields: [("Content-Type", "image/png")], text: "png")
      }
      let image = other.url("/a.png").absoluteString
      let feed = Self.payload.replacing("IMAGE", with: image)
      let service = try await LoopbackServer { _ in ServedResponse(text: feed) }
      // Another feed has its service on the image's host. This does not allow the image.
      let second = try FeedName("second")
      for isAllowed in [false, true] {
        var configuration = ServerConfiguration()
        configuration.origins[try FeedName("feed")] = service.url("/feed")
        configuration.origins[second] = other.url("/second")
        configuration.allowsPrivateImages = isAllowed
        try await TestServer.with(.openPrivate(), configuration) { server in
          _ = try await server.get("/feeds/feed")
          let answer = try await server.get("/images?url=\(image)")
          #expect(answer.status == (isAllowed ? 200 : 502))
          #expect(!answer.text.contains("127.0.0.1"))
        }
        #expect(other.requests.count == (isAllowed ? 1 : 0))
      }
      await service.stop()
      await other.stop()
    }

    @Test("has its images forwarded, but not stored, if the service sends no-store")
    func unstoredImages() async throws {
      let service = try await LoopbackServer { request in
        guard request.path == "/feed" else {
          let fields = [("Content-Type", "image/png"), ("Cache-Control", "no-store")]
          return ServedResponse(fields: fields, text: "png")
        }
        let url = "http://\(request.fields["host"] ?? "")/a.png"
        return ServedResponse(text: Self.payload.replacing("IMAGE", with: url))
      }
      try await Self.with(service) { server in
        _ = try await server.get("/v1/feed")
        let host = service.url.absoluteString.replacing("://", with: "%3A%2F%2F")
        for _ in 0..<2 {
          let image = try await server.get("/images?url=\(host)%2Fa.png")
          #expect(image.status == 200)
          #expect(image.text == "png")
          #expect(image["cache-control"] == "no-store")
          #expect(image["x-content-type-options"] == "nosniff")
        }
        let head = try await server.get("/images?url=\(host)%2Fa.png", method: "HEAD")
        #expect(head.status == 200)
        #expect(head["content-length"] == "3")
      }
      #expect(service.requests.map(\.path) == ["/feed", "/a.png", "/a.png", "/a.png"])
    }

    @Test("has no image fetched through a redirect to a URL that no feed names")
    func movedImage() async throws {
      let service = try await Self.service(image: "/moved.png")
      try await Self.with(service) { server in
        _ = try await server.get("/v1/feed")
        let host = service.url.absoluteString.replacing("://", with: "%3A%2F%2F")
        let image = try await server.get("/images?url=\(host)%2Fmoved.png")
        #expect(image.status == 502)
        for url in ["file:///etc/passwd", "gopher://a/"] {
          #expect(try await server.get("/images?url=\(url)").status == 404)
        }
        #expect(server.metrics.refusals(.foreignURL, of: .http) == 2)
      }
      #expect(service.requests.map(\.path) == ["/feed", "/moved.png"])
    }
  }
#endif
