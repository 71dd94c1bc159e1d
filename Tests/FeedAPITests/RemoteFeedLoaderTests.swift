#if Remote
  import CourseSupport
  import FeedAPI
  import FeedFeature
  import FeedSchema
  import Foundation
  import JSONStream
  import LoopbackServer
  import Testing

  @Suite("Loading a feed from a service")
  struct RemoteFeedLoaderTests {
    @Test(
      "delivers the universities of a valid payload, and ignores unknown keys",
      .course(.universities, "Load Feed From Remote Use Case", "Primary course"))
    func universities() async throws {
      try await expect(Payloads.universityModels, from: Payloads.universities)
    }

    @Test(
      "delivers the images of a valid payload",
      .course(.essential, "Load Feed From Remote Use Case", "Primary course"),
      .course(.feed2020, "Load Feed From Remote Use Case", "Primary course"))
    func feed() async throws {
      try await expect(Payloads.feedModels, from: Payloads.feed)
    }

    @Test(
      "delivers the articles of a valid payload",
      .course(.news, "Load Feed From Remote Use Case", "Primary course"))
    func news() async throws {
      try await expect(Payloads.newsModels, from: Payloads.news)
    }

    @Test("delivers no items for a payload without items", arguments: [#"{"items":[]}"#])
    func empty(payload: String) async throws {
      try await expect([FeedImage](), from: payload)
    }

    private func expect<Item: PayloadModel & Equatable>(
      _ items: [Item], from payload: String
    ) async throws {
      try await withServer { _ in
        ServedResponse(text: payload)
      } _: { server, client in
        let loader: any FeedLoader<Item> = RemoteFeedLoader<Item>(
          url: server.url("/feed"), client: client)
        let loaded = try await loader.load()
        #expect(loaded == items)
        #expect(server.requests.map(\.target) == ["/feed"])
      }
    }

    @Test(
      "accepts only status 200, and reports any other as invalid data",
      arguments: [201, 204, 250, 280, 299, 300, 304, 400, 401, 404, 429, 500, 503],
      [PayloadSchema.universities, .feed, .news])
    func status(code: Int, schema: PayloadSchema) async throws {
      try await withServer { _ in
        ServedResponse(code, text: code == 204 || code == 304 ? "" : Payloads.feed)
      } _: { server, client in
        let error = await load(schema, server.url, client)
        #expect(error?.cause == .status(code))
        #expect(error?.kind == .invalidData)
      }
    }

    @Test("does not accept an interim status from any client", arguments: [150, 199])
    func interimStatus(code: Int) async throws {
      let client = StubClient(FeedHTTPResponse(status: code, body: FeedHTTPBody(Array("[]".utf8))))
      let error = await load(.universities, Payloads.url("http://service"), client)
      #expect(error?.cause == .status(code))
    }

    @Test(
      "waits for the final response after an interim one (RFC 9110, section 15.2)",
      arguments: [150, 199])
    func interimStatusOnTheWire(code: Int) async throws {
      try await withServer { request in
        let interim = "HTTP/1.1 \(code) Status\r\n\r\n"
        let answer =
          request.path == "/answered" ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]" : ""
        return ServedResponse(
          103, framing: .close, steps: [.bytes(Array((interim + answer).utf8))])
      } _: { server, client in
        let answered = RemoteFeedLoader<University>(url: server.url("/answered"), client: client)
        let universities = try await answered.load()
        #expect(universities.isEmpty)
        let error = await load(.universities, server.url("/dropped"), client)
        #expect(error?.kind == .connectivity)
      }
    }

    @Test(
      "refuses the whole payload if one item is bad, and reports its position",
      .course(.universities, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.essential, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.feed2020, "Load Feed From Remote Use Case", "Invalid data course"),
      .course(.news, "Load Feed From Remote Use Case", "Invalid data course"),
      arguments: [
        (
          PayloadSchema.universities,
          Payloads.universities.replacing(#""http://www.acd.ac.ae/""#, with: "7"), 2
        ), (.feed, Payloads.feed.replacing("https://another-image.url", with: "http://["), 2),
        (.news, Payloads.news.replacing("2023-05-20T11:24:59Z", with: "yesterday"), 1),
      ])
    func badItem(schema: PayloadSchema, payload: String, record: Int) async throws {
      try await withServer { _ in
        ServedResponse(text: payload)
      } _: { server, client in
        let error = await load(schema, server.url("/feed?key=secret"), client)
        #expect(error?.kind == .invalidData)
        guard case .payload(let fault)? = error?.cause else {
          Issue.record("expected the fault of a payload, found \(String(describing: error))")
          return
        }
        #expect(fault.kind == .schema)
        #expect(fault.record == record)
        #expect(fault.file == server.url("/feed").absoluteString)
      }
    }

    @Test(
      "reports the position of a syntax error, for chunks of any size",
      arguments: [1, 7, 1_000])
    func syntax(pieceBytes: Int) async throws {
      let text = Array("[{\"name\":\"a\",\n  \"country\" \"b\"}]".utf8)
      let steps = stride(from: 0, to: text.count, by: pieceBytes).map { start in
        ServedResponse.Step.bytes(Array(text[start..<min(start + pieceBytes, text.count)]))
      }
      try await withServer { _ in
        ServedResponse(framing: .chunked, steps: steps)
      } _: { server, client in
        let error = await load(.universities, server.url, client)
        guard case .payload(let fault)? = error?.cause else {
          Issue.record("expected the fault of a payload, found \(String(describing: error))")
          return
        }
        #expect(fault.kind == .syntax)
        #expect(fault.byteOffset == 26)
        #expect(fault.line == 2)
        #expect(fault.column == 13)
      }
    }

    @Test("reports an empty body as invalid data")
    func emptyBody() async throws {
      try await withServer { _ in
        ServedResponse()
      } _: { server, client in
        let error = await load(.universities, server.url, client)
        #expect(error?.kind == .invalidData)
      }
    }

    @Test(
      "delivers a connectivity error, with its cause, if no server listens",
      .course(.universities, "Load Feed From Remote Use Case", "No connectivity course"),
      .course(.essential, "Load Feed From Remote Use Case", "No connectivity course"),
      .course(.feed2020, "Load Feed From Remote Use Case", "No connectivity course"),
      .course(.news, "Load Feed From Remote Use Case", "No connectivity course"),
      arguments: [PayloadSchema.universities, .feed, .news])
    func refused(schema: PayloadSchema) async throws {
      try await withServer { _ in
        ServedResponse()
      } _: { server, client in
        await server.stop()
        let error = await load(schema, server.url, client)
        #expect(error?.kind == .connectivity)
        guard case .transport(let cause)? = error?.cause else { return }
        #expect(cause.kind == .connection)
        #expect(cause.reason.contains("refused"))
      }
    }

    private func load(
      _ schema: PayloadSchema, _ url: URL, _ client: any FeedHTTPClient
    ) async -> RemoteError? {
      await remoteError {
        switch schema {
        case .universities:
          _ = try await RemoteFeedLoader<University>(url: url, client: client).load()
        case .feed: _ = try await RemoteFeedLoader<FeedImage>(url: url, client: client).load()
        default: _ = try await RemoteFeedLoader<Article>(url: url, client: client).load()
        }
      }
    }
  }
#endif
