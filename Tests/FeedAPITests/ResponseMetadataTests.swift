import FeedAPI
import Foundation
import Testing

@Suite("What a response says of its content")
struct ResponseMetadataTests {
  private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private func metadata(_ fields: HTTPFields) async throws -> ResponseMetadata {
    let client = StubClient(HTTPResponse(status: 200, fields: fields))
    let resource = RemoteResource(
      HTTPRequest(Payloads.url("http://service/")), client: client, now: { Self.now })
    let answer = try await resource.stream(into: { _ in }, finish: { _ in })
    return answer.metadata
  }

  @Test(
    "is how long it will stay as it is (RFC 9111, section 4.2)",
    arguments: [
      ([:], nil),
      (["Cache-Control": "max-age=60"], 60),
      (["cache-control": "public , MAX-AGE=\"60\""], 60),
      (["Cache-Control": "max-age=60", "Age": "20"], 40),
      (["Cache-Control": "max-age=60", "Age": "80"], -20),
      (["Cache-Control": "max-age=60, no-cache"], 0),
      (["Cache-Control": "max-age=99999999999999999999"], 2_147_483_648),
      (["Cache-Control": "max-age=soon"], 0),
      (["Cache-Control": "max-age"], nil),
      (["Cache-Control": "s-maxage=5, stale-if-error=9"], nil),
      (
        [
          "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sunday, 06-Nov-94 08:50:37 GMT",
        ], 60
      ),
      (["Date": "Sun Nov  6 08:49:37 1994", "Expires": "Sun, 06 Nov 1994 08:49:07 GMT"], -30),
      (["Expires": "0"], 0),
      (["Cache-Control": "max-age=60", "Expires": "0"], 60),
    ] as [(HTTPFields, TimeInterval?)])
  func freshness(fields: HTTPFields, seconds: TimeInterval?) async throws {
    let metadata = try await metadata(fields)
    #expect(metadata.remainingFreshness == seconds)
    #expect(metadata.receivedAt == Self.now)
    let limit = Self.now + (seconds ?? 0)
    #expect(!metadata.isFresh(at: limit))
    #expect(metadata.isFresh(at: limit - 1) == (seconds != nil))
  }

  @Test(
    "is no date that is none",
    arguments: [
      "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
      "Sun, 06 Nov 99999 08:49:37 GMT", "Sun Nov  6 08:49:37 94",
    ])
  func badDate(text: String) async throws {
    #expect(try await metadata(["Expires": text]).remainingFreshness == 0)
  }

  @Test("is that it should not be kept, and its media type")
  func rest() async throws {
    let first = try await metadata([
      "Cache-Control": "no-store", "Content-Type": " Application/JSON ; charset=utf-8",
    ])
    #expect(first.isNotToBeStored)
    #expect(first.mediaType == "application/json")
    let second = try await metadata([:])
    #expect(!second.isNotToBeStored)
    #expect(second.mediaType == nil)
  }
}
