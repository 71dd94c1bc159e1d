import Testing

@testable import FeedServer

@Suite("The preferred format of a feed")
struct FeedFormatTests {
  @Test(
    "depends on the most specific range for each type",
    arguments: [
      (nil, .json), ("*/*", .json), ("text/html, */*;q=0.8", .json), ("image/png", .json),
      ("application/atom+xml", .atom), ("application/feed+json, */*;q=0.1", .jsonfeed),
      ("application/json;q=0.2, application/atom+xml;q=0.5", .atom),
      ("application/json;q=0, application/*;q=0.1", .ndjson),
      ("*/*;q=0.5, application/json;q=0.1, application/x-ndjson;q=0", .jsonfeed),
      ("application/*;q=0, */*", .json), ("APPLICATION/ATOM+XML ; q=1", .atom),
    ] as [(String?, FeedFormat)])
  func best(_ field: String?, _ format: FeedFormat) {
    #expect(FeedFormat(accept: field) == format)
  }
}
