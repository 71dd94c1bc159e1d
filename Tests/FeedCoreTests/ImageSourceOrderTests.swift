#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("Concurrent requests for one image", .timeLimit(.minutes(10)))
  struct ImageSourceOrderTests {
    /// The ways in which a source asks for an image.
    enum Request: CaseIterable {
      case load
      case refresh
      case prefetch

      func run(_ source: ImageSource, _ url: URL) async throws {
        switch self {
        case .load: _ = try await source.loadImageData(from: url)
        case .refresh: _ = try await source.refresh(url)
        case .prefetch: try await source.prefetch([url])
        }
      }
    }

    /// Delays the first answer until after the second one, and returns the stored image.
    private func kept(
      _ first: Request, _ second: Request, _ answer: ServedResponse
    ) async throws -> Data? {
      var image: Data?
      try await Served.run { served in
        let gate = Gate()
        served.answer { _ in
          await gate.wait()
          return ServedResponse(text: "old")
        }
        let source = try served.imageSource()
        let url = served.server.url("/image")
        let older = Task { try await first.run(source, url) }
        await served.server.waitForRequests(1)
        served.answer { _ in answer }
        try await second.run(source, url)
        gate.open()
        try await older.value
        image = try source.images.retrieve(dataForURL: url)
      }
      return image
    }

    @Test(
      "an earlier request does not replace the image of a later one",
      arguments: Request.allCases, Request.allCases)
    func later(first: Request, second: Request) async throws {
      // Two equal loads or refreshes share one request.
      guard first != second || first == .prefetch else { return }
      #expect(try await kept(first, second, ServedResponse(text: "new")) == Data("new".utf8))
    }

    @Test(
      "the image of an earlier request is not stored after a later answer with no-store",
      arguments: [Request.load, .prefetch])
    func notToBeKept(first: Request) async throws {
      let answer = ServedResponse(fields: [("Cache-Control", "no-store")], text: "new")
      #expect(try await kept(first, .refresh, answer) == nil)
    }

    @Test("a later request replaces the image of an earlier one")
    func inOrder() async throws {
      try await Served.run { served in
        let (first, second) = (Gate(), Gate())
        served.answer { _ in
          await first.wait()
          return ServedResponse(text: "old")
        }
        let source = try served.imageSource()
        let url = served.server.url("/image")
        let older = Task { try await source.loadImageData(from: url) }
        await served.server.waitForRequests(1)
        served.answer { _ in
          await second.wait()
          return ServedResponse(text: "new")
        }
        let younger = Task { try await source.refresh(url) }
        await served.server.waitForRequests(2)
        first.open()
        #expect(try await older.value == Data("old".utf8))
        second.open()
        #expect(try await younger.value == Data("new".utf8))
        #expect(try source.images.retrieve(dataForURL: url) == Data("new".utf8))
      }
    }
  }
#endif
