import FeedAPI
import FeedSchema
import Foundation
import TestSupport
import Testing

@Suite("The metadata of a response")
struct ResponseMetadataTests {
  private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private func metadata(_ fields: FeedHTTPFields) async throws -> ResponseMetadata {
    let client = StubClient(FeedHTTPResponse(status: 200, fields: fields))
    let resource = RemoteResource(
      FeedHTTPRequest(Payloads.url("http://service/")), client: client, now: { Self.now })
    let answer = try await resource.stream(into: { _ in }, finish: { _ in })
    return answer.metadata
  }

  @Test(
    "has the remaining freshness (RFC 9111, section 4.2)",
    arguments: [
      ([:], nil),
      (["Cache-Control": "max-age=60"], 60),
      (["cache-control": "public , MAX-AGE=\"60\""], 60),
      (["Cache-Control": "max-age=60", "Age": "20"], 40),
      (["Cache-Control": "max-age=60", "Age": "80"], -20),
      (["Cache-Control": "max-age=60, max-age=90"], 60),
      (["Cache-Control": "max-age=60", "cache-control": "max-age=90"], 60),
      (["Cache-Control": "max-age=60", "Age": "20, 5"], 40),
      (["Cache-Control": "max-age=60, no-cache"], 0),
      (["Cache-Control": "max-age=99999999999999999999"], 2_147_483_648),
      (["Cache-Control": "max-age=soon"], 0),
      (["Cache-Control": "max-age"], nil),
      (["Cache-Control": "max-age="], 0),
      (["Cache-Control": "="], nil),
      (["Cache-Control": "max-age=60, =, =60,,"], 60),
      (["Cache-Control": "s-maxage=5, stale-if-error=9"], nil),
      (
        [
          "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sunday, 06-Nov-94 08:50:37 GMT",
        ], 60
      ),
      (["Date": "Sun Nov  6 08:49:37 1994", "Expires": "Sun, 06 Nov 1994 08:49:07 GMT"], -30),
      (["Expires": "0"], 0),
      (["Cache-Control": "max-age=60", "Expires": "0"], 60),
    ] as [(FeedHTTPFields, TimeInterval?)])
  func freshness(fields: FeedHTTPFields, seconds: TimeInterval?) async throws {
    let metadata = try await metadata(fields)
    #expect(metadata.remainingFreshness == seconds)
    #expect(metadata.receivedAt == Self.now)
    let limit = Self.now + (seconds ?? 0)
    #expect(!metadata.isFresh(at: limit))
    #expect(metadata.isFresh(at: limit - 1) == (seconds != nil))
  }

  @Test(
    "is stale if the date in Expires is invalid",
    arguments: [
      "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
      "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT",
      "Sun, 06 Nov 99999 08:49:37 GMT", "Sun Nov  6 08:49:37 94",
    ])
  func badDate(text: String) async throws {
    #expect(try await metadata(["Expires": text]).remainingFreshness == 0)
  }

  @Test("has the media type, and whether the response may be stored")
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

  @Test("is read from random header fields")
  func hostileFields() async throws {
    var random = SeededGenerator(seed: 1)
    let words = [
      "max-age", "no-store", "no-cache", "60", "99999999999999999999", "-1", "Sun", "06", "Nov",
      "1994", "94", "08:49:37", "GMT", "gzip", "application/json", "charset", "W/", "bytes",
    ]
    let names = [
      "Cache-Control", "Age", "Expires", "Date", "Content-Type", "ETag", "Last-Modified",
    ]
    for _ in 0..<20_000 {
      var fields = FeedHTTPFields()
      for name in names {
        fields.add(name, HostileText.made(of: words, using: &random))
      }
      let metadata = try await metadata(fields)
      if let seconds = metadata.remainingFreshness { #expect(seconds.isFinite) }
      // A tag that is not UTF-8 cannot be sent back, and an asterisk matches any tag.
      let tag = fields["ETag"].flatMap { $0.contains("\u{FFFD}") || $0 == "*" ? nil : $0 }
      #expect(metadata.validators.entityTag == tag)
    }
  }

  @Test("is read from random coding, length and retry fields, or refused with an error")
  func hostileFraming() async throws {
    var random = SeededGenerator(seed: 2)
    let words = ["gzip", "deflate", "identity", "br", "1", "99999999999999999999", "-5", "Sun"]
    for _ in 0..<5000 {
      var fields = FeedHTTPFields()
      for name in ["Content-Encoding", "Content-Length", "Retry-After"] {
        fields.add(name, HostileText.made(of: words, using: &random))
      }
      let client = RetryingHTTPClient(
        StubClient(FeedHTTPResponse(status: 503, fields: fields)), policy: RetryPolicy(),
        sleep: { _ in }, random: { $0.lowerBound })
      let response = try await client.get(FeedHTTPRequest(Payloads.url("http://service/")))
      let packed = StubClient(FeedHTTPResponse(status: 200, fields: response.fields))
      let resource = RemoteResource(
        FeedHTTPRequest(Payloads.url("http://service/")), client: packed)
      do {
        _ = try await resource.stream(into: { _ in }, finish: { _ in })
      } catch {
        #expect(error is RemoteError)
      }
    }
  }
}
