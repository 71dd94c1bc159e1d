import FeedAPI
import Foundation
import Synchronization
import Testing

@Suite("A body in chunks of any size")
struct EmptyChunkTests {
  @Test("is passed on in pieces of at least one byte")
  func emptyChunks() async throws {
    let chunks = Mutex<[[UInt8]]>([[], [1], [], [], [2, 3], []])
    let body = FeedHTTPBody { chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    let resource = RemoteResource(
      Payloads.url("http://service/"), client: StubClient(FeedHTTPResponse(status: 200, body: body))
    )
    var pieces: [[UInt8]] = []
    let answer = try await resource.stream(into: { pieces.append($0) }, finish: { _ in true })
    #expect(answer.content == true)
    #expect(pieces == [[1], [2, 3]])
  }
}
