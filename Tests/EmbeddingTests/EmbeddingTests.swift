#if Server
  // The names in these modules do not conflict in one file.
  import AsyncHTTPClient
  import FeedCore
  import FeedServer
  import Foundation
  import HTTPTypes
  import NIOCore
  import NIOHTTP1
  import Testing

  @Suite("A program that embeds the server")
  struct EmbeddingTests {
    @Test("serves its store, and sends requests with the clients of other packages")
    func serves() async throws {
      let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: directory) }
      let database = try FeedDatabase.open(at: directory.path)
      let universities = [University(name: "A", country: "B", alphaTwoCode: "CC")]
      let name = try FeedName("universities")
      try database.insert(universities, into: name, referenceSeconds: 1)

      let (addresses, continuation) = AsyncStream<ListenAddress>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
          defer { continuation.finish() }
          try await serve(database) { _, address in continuation.yield(address) }
        }
        guard let address = await addresses.first(where: { _ in true }) else {
          return try await tasks.waitForAll()
        }
        try await ask("http://\(address)/feeds/universities")
        tasks.cancelAll()
        try await tasks.waitForAll()
      }
    }

    private func ask(_ url: String) async throws {
      let fields: HTTPFields = [.accept: "application/json", .acceptEncoding: "identity"]
      var request = HTTPClientRequest(url: url)
      for field in fields { request.headers.add(name: field.name.rawName, value: field.value) }
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      #expect(answer.status == .ok)
      #expect(HTTPResponse(status: .ok).status.code == Int(answer.status.code))

      let client: any FeedHTTPClient = AsyncHTTPTransport()
      let response: FeedHTTPResponse = try await client.get(
        FeedHTTPRequest(#require(URL(string: url)), fields: FeedHTTPFields()))
      #expect(response.status == 200)
      #expect(response.fields["ETag"] == answer.headers.first(name: "ETag"))
    }
  }
#endif
