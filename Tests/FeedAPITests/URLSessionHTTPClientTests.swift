#if Remote
  import FeedAPI
  import FeedFeature
  import FeedURLSession
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  @Suite("An HTTP client on URLSession", .timeLimit(.minutes(2)))
  struct URLSessionHTTPClientTests {
    private let client = URLSessionHTTPClient(configuration: .ephemeral)
    private let feed =
      #"{"items":[{"id":"73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6","image":"https://example.org/a"}]}"#

    private func error(_ url: URL) async -> RemoteError? {
      do {
        _ = try await RemoteFeedLoader<FeedImage>(url: url, client: client).load()
        return nil
      } catch {
        return error as? RemoteError
      }
    }

    @Test("delivers a feed, and sends the fields of the request")
    func feedIsLoaded() async throws {
      let server = try await LoopbackServer { [feed] _ in ServedResponse(text: feed) }
      let keyed = AuthenticatedHTTPClient(client, adding: ["X-Key": "k"], to: server.url)
      let images = try await RemoteFeedLoader<FeedImage>(url: server.url("/a?b=1"), client: keyed)
        .load()
      #expect(images.map(\.url.absoluteString) == ["https://example.org/a"])
      #expect(server.requests.first?.target == "/a?b=1")
      #expect(server.requests.first?.fields["x-key"] == "k")
      await server.stop()
    }

    @Test("reports each status as a response, and a failed connection as a connectivity error")
    func failures() async throws {
      let server = try await LoopbackServer { request in
        ServedResponse(Int(request.path.dropFirst()) ?? 500, text: "{}")
      }
      for status in [201, 400, 404, 503] {
        #expect(await error(server.url("/\(status)"))?.cause == .status(status))
      }
      #expect(await error(server.url("/200"))?.kind == .invalidData)
      await server.stop()
      #expect(await error(server.url)?.kind == .connectivity)
    }

    @Test("a response that ends too early is a connectivity error")
    func cut() async throws {
      let server = try await LoopbackServer { [feed] _ in
        ServedResponse(framing: .length(10_000), steps: [.bytes(Array(feed.utf8)), .drop])
      }
      #expect(await error(server.url)?.kind == .connectivity)
      await server.stop()
    }

    @Test("decompresses a body once")
    func compressed() async throws {
      let packed = try Packed.gzip(Array(feed.utf8))
      let server = try await LoopbackServer { _ in
        ServedResponse(fields: [("Content-Encoding", "gzip")], steps: [.bytes(packed)])
      }
      let images = try await RemoteFeedLoader<FeedImage>(url: server.url, client: client).load()
      #expect(images.count == 1)
      await server.stop()
    }

    @Test("follows a redirect, and sends no key to another origin")
    func redirected() async throws {
      let target = try await LoopbackServer { [feed] _ in ServedResponse(text: feed) }
      let url = target.url("/feed").absoluteString
      let server = try await LoopbackServer { _ in ServedResponse.redirect(to: url) }
      let request = FeedHTTPRequest(server.url, fields: ["X-Key": "k", "Accept": "text/x"])
      let response = try await client.get(request)
      #expect(response.status == 200)
      #expect(response.url?.absoluteString == url)
      #expect(target.requests.first?.fields["x-key"] == nil)
      #expect(target.requests.first?.fields["accept"] == "text/x")
      let bare = URLSessionHTTPClient(configuration: .ephemeral, maximumRedirects: 0)
      #expect(try await bare.get(request).status == 302)
      await server.stop()
      await target.stop()
    }

    @Test("a cancelled load ends while the service is silent")
    func cancelled() async throws {
      let gate = Gate()
      let server = try await LoopbackServer { _ in
        await gate.wait()
        return ServedResponse(500)
      }
      let load = Task { [client] in
        try await RemoteFeedLoader<FeedImage>(url: server.url, client: client).load()
      }
      await server.waitForRequests(1)
      load.cancel()
      await #expect(throws: CancellationError.self) { try await load.value }
      gate.open()
      await server.stop()
    }

    @Test("delivers a body of many megabytes completely")
    func large() async throws {
      let piece = [UInt8](repeating: 0x20, count: 1 << 16)
      let server = try await LoopbackServer { _ in
        ServedResponse(framing: .chunked, steps: [.repeated(piece, times: 200)])
      }
      var count = 0
      for try await chunk in try await client.get(FeedHTTPRequest(server.url)).body {
        count += chunk.count
        await Task.yield()
      }
      #expect(count == 200 << 16)
      await server.stop()
    }
  }
#endif
