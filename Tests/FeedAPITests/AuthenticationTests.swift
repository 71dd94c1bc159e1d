#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("An authenticated client")
  struct AuthenticationTests {
    @Test("adds its fields only to requests to its service")
    func origins() async throws {
      try await withServer { _ in
        ServedResponse(text: "there")
      } _: { other, _ in
        try await withServer { request in
          request.path == "/away"
            ? .redirect(to: other.url("/redirected").absoluteString) : ServedResponse(text: "here")
        } _: { server, transport in
          let client = AuthenticatedHTTPClient(
            transport, adding: ["X-Api-Key": "key", "Accept": "a/b"], to: server.url("/any?c=d"))
          for url in [server.url("/feed"), server.url("/away"), other.url("/image")] {
            let response = try await client.get(FeedHTTPRequest(url, fields: ["accept": "c/d"]))
            #expect(response.status == 200)
          }
          #expect(server.requests.map { $0.fields["x-api-key"] } == ["key", "key"])
          #expect(server.requests.map { $0.fields["accept"] } == ["c/d", "c/d"])
          #expect(other.requests.map(\.path) == ["/redirected", "/image"])
          #expect(other.requests.allSatisfy { $0.fields["x-api-key"] == nil })
        }
      }
    }

    @Test("authenticates a loader to its service")
    func loader() async throws {
      try await withServer { request in
        request.fields["x-api-key"] == "key"
          ? ServedResponse(text: Payloads.universities) : ServedResponse(401)
      } _: { server, transport in
        let url = server.url("/feed")
        await #expect(throws: RemoteError.self) {
          try await RemoteFeedLoader<University>(url: url, client: transport).load()
        }
        let client = AuthenticatedHTTPClient(transport, adding: ["X-Api-Key": "key"], to: url)
        let universities = try await RemoteFeedLoader<University>(url: url, client: client).load()
        #expect(universities.count > 0)
      }
    }

    @Test(
      "a line is parsed into a field",
      arguments: [
        ("X-Api-Key: a b\t", "X-Api-Key", "a b"), ("x:", "x", ""), ("x:a:b", "x", "a:b"),
        ("x: é", "x", "é"), ("!#$%&'*+-.^_`|~9z: \ta", "!#$%&'*+-.^_`|~9z", "a"),
      ])
    func line(_ line: String, name: String, value: String) {
      #expect(FeedHTTPFields.Field(line: line) == FeedHTTPFields.Field(name: name, value: value))
    }

    @Test(
      "an invalid or ambiguous line is not parsed into a field",
      arguments: [
        "", "key", ": a", "x : a", " x: a", "x y: a", "é: a", "x: a\r\ny: b", "x: \u{7F}",
      ])
    func noField(_ line: String) {
      #expect(FeedHTTPFields.Field(line: line) == nil)
    }
  }
#endif
