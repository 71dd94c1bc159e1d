#if Remote
  import CourseSupport
  import FeedAPI
  import FeedFeature
  import FeedSchema
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("Loading the data of an image from a service")
  struct RemoteImageTests {
    private static let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test(
      "delivers the data as it was sent",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Primary course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Primary course"))
    func data() async throws {
      try await withServer { _ in
        ServedResponse(steps: [.bytes(Self.bytes)])
      } _: { server, client in
        let loader: any FeedImageDataLoader = RemoteFeedImageDataLoader(client: client)
        let data = try await loader.loadImageData(from: server.url("/image.jpg"))
        #expect(data == Data(Self.bytes))
      }
    }

    @Test(
      "accepts only status 200",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Invalid data course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Invalid data course"),
      arguments: [201, 206, 250, 299, 300, 400, 404, 500])
    func status(code: Int) async throws {
      try await withServer { _ in
        ServedResponse(code, text: "data")
      } _: { server, client in
        let error = await load(server.url, client)
        #expect(error?.kind == .invalidData)
        #expect(error?.cause == .status(code))
      }
    }

    @Test(
      "reports an empty body as invalid data",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Invalid data course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Invalid data course"),
      arguments: [[], [("Content-Encoding", "gzip")]])
    func empty(fields: [(String, String)]) async throws {
      try await withServer { _ in
        ServedResponse(fields: fields)
      } _: { server, client in
        let error = await load(server.url, client)
        #expect(error?.kind == .invalidData)
        #expect(error?.cause == .emptyBody)
      }
    }

    @Test(
      "delivers a connectivity error if the connection ends within the data",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "No connectivity course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "No connectivity course"))
    func halfABody() async throws {
      try await withServer { _ in
        ServedResponse(
          framing: .length(2 * Self.bytes.count), steps: [.bytes(Self.bytes), .drop])
      } _: { server, client in
        let error = await load(server.url, client)
        #expect(error?.kind == .connectivity)
      }
    }

    @Test(
      "delivers neither data nor an error of the service once it is cancelled",
      .course(.essential, "Load Feed Image Data From Remote Use Case", "Cancel course"),
      .course(.news, "Load News Feed Image Data From Remote Use Case", "Cancel course"))
    func cancel() async throws {
      let gate = Gate()
      try await withServer { _ in
        ServedResponse(
          framing: .length(2 * Self.bytes.count),
          steps: [.bytes(Self.bytes), .wait(gate), .bytes(Self.bytes)])
      } _: { server, client in
        let loader = RemoteFeedImageDataLoader(client: client)
        let load = Task { try await loader.loadImageData(from: server.url) }
        await server.waitForRequests(1)
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        gate.open()
      }
    }

    @Test("reports an unchanged image without its data")
    func notModified() async throws {
      try await withServer { request in
        request.fields["if-none-match"] == #""one""#
          ? ServedResponse(304) : ServedResponse(fields: [("ETag", #""one""#)], text: "data")
      } _: { server, client in
        let loader = RemoteFeedImageDataLoader(client: client)
        let first = try await loader.loadImageData(
          from: server.url, ifChangedSince: ResponseValidators())
        #expect(first.content == Data("data".utf8))
        let second = try await loader.loadImageData(
          from: server.url, ifChangedSince: first.metadata.validators)
        #expect(second.content == nil)
        #expect(second.metadata.validators == first.metadata.validators)
      }
    }

    private func load(_ url: URL, _ client: any FeedHTTPClient) async -> RemoteError? {
      await remoteError {
        _ = try await RemoteFeedImageDataLoader(client: client).loadImageData(from: url)
      }
    }
  }
#endif
