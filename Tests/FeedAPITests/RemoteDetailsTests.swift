#if Remote
  import CourseSupport
  import FeedAPI
  import FeedFeature
  import Foundation
  import JSONStream
  import LoopbackServer
  import Testing

  @Suite("Loading the comments on an image from a service")
  struct RemoteImageCommentsTests {
    @Test(
      "delivers all comments, for any status from 200 to 299",
      .course(.essential, "Load Image Comments From Remote Use Case", "Primary course"),
      .course(.essential, "Image Comments, Narrative", "Online"),
      arguments: [200, 201, 250, 280, 299])
    func comments(status: Int) async throws {
      try await withServer { _ in
        ServedResponse(status, text: Payloads.comments)
      } _: { server, client in
        let loader: any DetailLoader<UUID, [ImageComment]> = RemoteImageCommentsLoader(
          baseURL: server.url("/api"), client: client)
        let comments = try await loader.loadDetail(for: Payloads.ids[0])
        #expect(comments == Payloads.commentModels)
        #expect(
          server.requests.map(\.target) == ["/api/v1/image/\(Payloads.ids[0])/comments"])
      }
    }

    @Test(
      "reports any other status as invalid data",
      .course(.essential, "Load Image Comments From Remote Use Case", "Invalid data course"),
      arguments: [300, 400, 404, 500])
    func status(code: Int) async throws {
      try await withServer { _ in
        ServedResponse(code, text: Payloads.comments)
      } _: { server, client in
        let error = await load(server.url, client)
        #expect(error?.kind == .invalidData)
        #expect(error?.cause == .status(code))
      }
    }

    @Test("does not accept an interim status", arguments: [150, 199])
    func interimStatus(code: Int) async throws {
      let client = StubClient(FeedHTTPResponse(status: code))
      let error = await load(Payloads.url("http://service"), client)
      #expect(error?.cause == .status(code))
    }

    @Test(
      "refuses all comments if one of them is bad",
      .course(.essential, "Load Image Comments From Remote Use Case", "Invalid data course"),
      arguments: ["2020-05-19 14:23:53", "2020-05-19", "tomorrow"])
    func badDate(text: String) async throws {
      try await withServer { _ in
        ServedResponse(text: Payloads.comments.replacing("2020-05-19T14:23:53+00:00", with: text))
      } _: { server, client in
        guard case .payload(let fault)? = await load(server.url, client)?.cause else {
          Issue.record("expected the fault of a payload")
          return
        }
        #expect(fault.pointer == "/items/1/created_at")
      }
    }

    @Test(
      "delivers a connectivity error if no server listens",
      .course(.essential, "Load Image Comments From Remote Use Case", "No connectivity course"),
      .course(.essential, "Image Comments, Narrative", "Offline"))
    func refused() async throws {
      try await withServer { _ in
        ServedResponse()
      } _: { server, client in
        await server.stop()
        #expect(await load(server.url, client)?.kind == .connectivity)
      }
    }

    private func load(_ url: URL, _ client: any FeedHTTPClient) async -> RemoteError? {
      await remoteError {
        let loader = RemoteImageCommentsLoader(baseURL: url, client: client)
        _ = try await loader.loadDetail(for: Payloads.ids[0])
      }
    }
  }

  @Suite("Loading the details of an article from its publisher")
  struct RemoteArticleDetailsTests {
    private static let page = "<!doctype html><title>a title</title>"

    @Test(
      "delivers the article's page",
      .course(.news, "Load Article Details From Remote Use Case", "Primary course"),
      .course(.news, "Article Details, Narrative", "Online"))
    func wholePage() async throws {
      try await withServer { _ in
        ServedResponse(fields: [("Content-Type", "text/HTML; charset=utf-8")], text: Self.page)
      } _: { server, client in
        let loader: any DetailLoader<URL, ArticlePage> = RemoteArticleDetailsLoader(client: client)
        let url = server.url("/article")
        let page = try await loader.loadDetail(for: url)
        #expect(
          page == ArticlePage(url: url, data: Data(Self.page.utf8), mediaType: "text/html"))
      }
    }

    @Test(
      "reports another status, an empty page and a page that is not text as invalid data",
      .course(.news, "Load Article Details From Remote Use Case", "Invalid data course"),
      arguments: [
        (ServedResponse(404, text: page), RemoteError.Cause.status(404)),
        (ServedResponse(), .emptyBody),
        (
          ServedResponse(fields: [("Content-Type", "image/png")], text: page),
          .content("expected the page of an article, found image/png")
        ),
      ])
    func invalid(response: ServedResponse, cause: RemoteError.Cause) async throws {
      try await withServer { _ in
        response
      } _: { server, client in
        let error = await load(server.url, client)
        #expect(error?.kind == .invalidData)
        #expect(error?.cause == cause)
      }
    }

    @Test(
      "delivers a connectivity error if no server listens",
      .course(.news, "Load Article Details From Remote Use Case", "No connectivity course"),
      .course(.news, "Article Details, Narrative", "Offline"))
    func refused() async throws {
      try await withServer { _ in
        ServedResponse()
      } _: { server, client in
        await server.stop()
        #expect(await load(server.url, client)?.kind == .connectivity)
      }
    }

    private func load(_ url: URL, _ client: any FeedHTTPClient) async -> RemoteError? {
      await remoteError {
        _ = try await RemoteArticleDetailsLoader(client: client).loadDetail(for: url)
      }
    }
  }
#endif
