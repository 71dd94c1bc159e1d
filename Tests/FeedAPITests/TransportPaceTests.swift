#if Remote
  import FeedAPI
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("The pace of a body", .timeLimit(.minutes(5)))
  struct TransportPaceTests {
    private static func options(atLeast bytes: Int?) -> AsyncHTTPTransport.Options {
      var options = AsyncHTTPTransport.Options()
      options.timeouts.minimumBytesPerSecond = bytes
      options.timeouts.paceInterval = .seconds(1)
      // The test also ends if the pace is not measured.
      options.timeouts.whole = .seconds(4)
      return options
    }

    private func reason(
      _ options: AsyncHTTPTransport.Options, _ response: ServedResponse
    ) async throws -> String? {
      var reason: String?
      try await withServer(options) { _ in
        response
      } _: { server, client in
        let response = try await client.get(FeedHTTPRequest(server.url))
        do {
          for try await _ in response.body {}
        } catch let error as TransportError {
          #expect(error.kind == .timeout)
          reason = error.reason
        }
      }
      return reason
    }

    @Test("ends the request if it is a byte a second, before the limit of the whole request")
    func slow() async throws {
      let slow = ServedResponse(framing: .chunked, steps: [.blanks])
      #expect(
        try await reason(Self.options(atLeast: 1000), slow)
          == "less than 1000 bytes a second came for 1.0 seconds")
      let without = try await reason(Self.options(atLeast: nil), slow)
      #expect(without?.hasPrefix("it took longer than 4.0 seconds") == true)
    }

    @Test("does not end the request if the body arrives at once")
    func quick() async throws {
      let piece = [UInt8](repeating: 0x20, count: 1 << 16)
      let quick = ServedResponse(framing: .chunked, steps: [.repeated(piece, times: 100)])
      var options = Self.options(atLeast: 1000)
      options.timeouts.whole = nil
      #expect(try await reason(options, quick) == nil)
    }
  }
#endif
