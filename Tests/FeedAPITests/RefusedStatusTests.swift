#if Remote
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("A refused status", .timeLimit(.minutes(5)))
  struct RefusedStatusTests {
    private func error(of response: ServedResponse) async throws -> RemoteError? {
      var result: RemoteError?
      try await withServer { _ in
        response
      } _: { server, client in
        result = await remoteError {
          _ = try await RemoteFeedLoader<FeedImage>(url: server.url("/feed"), client: client).load()
        }
      }
      return result
    }

    @Test("is reported with its name and the service's code and message")
    func messages() async throws {
      let json = [("Content-Type", "application/json")]
      let text = [("Content-Type", "text/plain; charset=utf-8")]
      let problem = [("Content-Type", "application/problem+json")]
      for (response, words) in [
        (
          ServedResponse(
            401, fields: json,
            text: #"{"status":"error","code":"apiKeyInvalid","message":"Your key is invalid."}"#),
          "401 (unauthorized): apiKeyInvalid: Your key is invalid."
        ),
        (ServedResponse(403, fields: text, text: " No\r\n entry. "), "403 (forbidden): No entry."),
        (
          ServedResponse(404, fields: json, text: #"{"error":"Character not found"}"#),
          "404 (not found): Character not found"
        ),
        (
          ServedResponse(
            429, fields: json + [("Retry-After", "120")], text: #"{"error":{"message":"Slow."}}"#),
          "429 (too many requests): Slow. (it may be asked again after 120 s)"
        ),
        (ServedResponse(500), "500 (internal server error)"),
        (
          ServedResponse(503, fields: problem, text: #"{"title":"Closed","status":503}"#),
          "503 (service unavailable): Closed"
        ),
        (
          ServedResponse(502, fields: [("Content-Type", "text/html")], text: "<p>Bad"),
          "502 (bad gateway)"
        ),
        (ServedResponse(418, fields: json, text: "[1]"), "418"),
      ] {
        let error = try await error(of: response)
        #expect(error?.cause == .status(response.status))
        #expect(error?.kind == .invalidData)
        #expect(error?.description.hasSuffix("the service answered with status \(words)") == true)
      }
    }

    @Test("has a message of bounded length, without control characters")
    func hostile() async throws {
      let fields = [("Content-Type", "text/plain")]
      let piece = String(repeating: "\u{1B}[2J\u{202E}x", count: 1_000)
      let long = try await error(
        of: ServedResponse(
          503, fields: fields, framing: .chunked,
          steps: [.repeated(Array(piece.utf8), times: 100)]))
      let message = try #require(long?.serviceMessage)
      #expect(message.hasPrefix(#"\u001B[2J\u202Ex"#))
      #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
      #expect(message.unicodeScalars.count < 3_000)
    }

    @Test("has a message although its body is compressed or cut off, and none if it is damaged")
    func bodies() async throws {
      let body = Array(#"{"message":"m"}"#.utf8)
      let packed = ServedResponse(
        500, fields: [("Content-Encoding", "gzip")], steps: [.bytes(try Packed.gzip(body))])
      #expect(try await error(of: packed)?.serviceMessage == "m")
      let cut = ServedResponse(500, framing: .length(99), steps: [.bytes(body), .drop])
      #expect(try await error(of: cut)?.serviceMessage == "m")
      let damaged = ServedResponse(
        500, fields: [("Content-Encoding", "gzip")], steps: [.bytes(body)])
      let error = try await error(of: damaged)
      #expect(error?.cause == .status(500))
      #expect(error?.serviceMessage == nil)
    }

    @Test("says when the service may be asked again")
    func retryAfter() async throws {
      for (field, range) in [
        ("7", 7...7), ("0", 0...0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0...0),
        ("99999999999999999999999", 3_000_000_000...3_000_000_000),
      ] as [(String, ClosedRange<Double>)] {
        let error = try await error(of: ServedResponse(503, fields: [("Retry-After", field)]))
        let wait = try #require(error?.retryAfter)
        #expect(range.contains(wait / .seconds(1)))
      }
      let none = try await error(of: ServedResponse(503, fields: [("Retry-After", "soon")]))
      #expect(none?.retryAfter == nil)
    }
  }
#endif
