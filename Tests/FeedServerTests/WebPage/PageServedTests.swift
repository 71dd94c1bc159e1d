#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite("The page over HTTP")
  struct PageServedTests {
    @Test("has its own paths, and fields for caches and browsers")
    func fields() async throws {
      try await TestServer.with(.universities(30)) { server in
        for path in ["/", "/page/universities", "/page/universities/record?key=U1"] {
          let page = try await server.get(path, ["Accept-Language": "el, en;q=0.5"])
          #expect(page.status == 200)
          #expect(page["content-type"] == "text/html; charset=utf-8")
          #expect(page["content-language"] == "el")
          #expect(page["vary"] == "Accept-Language, Accept-Encoding")
          #expect(page["content-security-policy"]?.hasPrefix("default-src 'self';") == true)
          #expect(page["x-content-type-options"] == "nosniff")
          #expect(page.text.contains("<html lang=\"el\">"))
        }
      }
    }

    @Test("is not sent again if the client has it, compressed or not")
    func unchanged() async throws {
      try await TestServer.with(.universities(30)) { server in
        // The tag changes each minute, at most once between these requests.
        for _ in 0..<2 {
          let packed = try await server.get("/page/universities", ["Accept-Encoding": "gzip"])
          #expect(packed["content-encoding"] == "gzip")
          let tag = try #require(packed["etag"])
          let again = try await server.get("/page/universities", ["If-None-Match": tag])
          guard again.status != 304 else {
            #expect(again.body.isEmpty)
            #expect(again["etag"] == tag)
            return
          }
        }
        Issue.record("the page was sent again")
      }
    }

    @Test("answers HEAD like GET without the body, and refuses other methods")
    func methods() async throws {
      try await TestServer.with(.universities(1)) { server in
        let head = try await server.get("/page/universities", method: "HEAD")
        #expect(head.status == 200)
        #expect(head["content-type"] == "text/html; charset=utf-8")
        #expect(head.body.isEmpty)
        let post = try await server.get("/page/universities", method: "POST")
        #expect(post.status == 405)
        #expect(post["allow"]?.contains("GET") == true)
      }
    }

    @Test("loads assets that are immutable under their addresses")
    func assets() async throws {
      try await TestServer.with(.universities(1)) { server in
        let page = try await server.get("/")
        let addresses = page.text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.output.1) }
        #expect(addresses.count == 3)
        for address in addresses {
          let asset = try await server.get(address)
          #expect(asset.status == 200)
          #expect(asset["cache-control"] == "public, max-age=31536000, immutable")
          #expect(!asset.body.isEmpty)
        }
        #expect(try await server.get("/assets/app.mjs").status == 404)
        #expect(try await server.get("/assets/../page").status == 404)
      }
    }

    @Test("reports a missing page as a page below /page, and elsewhere as a problem")
    func missing() async throws {
      try await TestServer.with(.universities(1)) { server in
        let page = try await server.get("/page/nothing")
        #expect(page.status == 404)
        #expect(page["content-type"] == "text/html; charset=utf-8")
        let other = try await server.get("/nothing")
        #expect(other.status == 404)
        #expect(other["content-type"] == "application/problem+json")
      }
    }
  }
#endif
