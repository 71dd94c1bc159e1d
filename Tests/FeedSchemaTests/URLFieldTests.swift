import FeedSchema
import Foundation
import JSONStream
import TestSupport
import Testing

@Suite("URLs of records")
struct URLFieldTests {
  private static func article(_ url: String, image: String) throws -> String {
    let texts = try [url, image].map { text in
      String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        .replacing(#"\/"#, with: "/")
    }
    return
      #"{"source":{"id":null,"name":"n"},"author":null,"title":"t","description":null,"#
      + #""url":\#(texts[0]),"urlToImage":\#(texts[1]),"publishedAt":"2024-03-14T09:26:53Z","#
      + #""content":null}"#
  }

  private static func news(_ records: [String]) -> String {
    #"{"articles":["# + records.joined(separator: ",") + "]}"
  }

  private static let odd = [
    "//host/a.jpg", "/a.jpg", "a.jpg", "https://h.example/a b.jpg", "https://h.example/é.jpg",
    "https://h.example/100%.jpg", "", " ", "http://", "http:", "http://a b/", "http://[::1", "1:2",
    "not available", "http://h:x/", "\u{0}", "data:image/png;base64,AAAA",
  ]

  @Test(
    "an optional URL with any text is kept unchanged, and so are all other records", arguments: odd)
  func optional(text: String) throws {
    let plain = try Self.article("https://h.example/1", image: "https://h.example/1.jpg")
    let record = try Self.article("https://h.example/2", image: text)
    let mapped = try map(Self.news([plain, record, plain]))
    #expect(mapped.json.count == 3)
    let kept = try JSONSerialization.jsonObject(with: Data((mapped.json[1]).utf8))
    #expect((kept as? [String: Any])?["urlToImage"] as? String == text)
    #expect(mapped.json[0] == plain && mapped.json[2] == plain)
  }

  @Test("a URL of another type is refused, as by the apps' decoders")
  func otherType() throws {
    let record = try Self.article("https://h.example/2", image: "x").replacing(#""x""#, with: "7")
    let error = try #require(failure(of: Self.news([record])))
    #expect(error.reason == "urlToImage: expected a URL, found a number")
  }

  @Test("a required URL is refused exactly if the apps' decoders refuse it")
  func required() throws {
    struct Link: Decodable { let url: URL }
    var refused = 0
    for text in Self.odd {
      let record = try Self.article(text, image: "https://h.example/1.jpg")
      let decoded = try? JSONDecoder().decode(Link.self, from: Data(record.utf8))
      let error = failure(of: Self.news([record]))
      #expect((error == nil) == (decoded != nil), "\(text.debugDescription)")
      if let error {
        refused += 1
        #expect(error.reason.hasPrefix("url: expected a URL, found "))
      }
    }
    #expect((4...8).contains(refused))
  }

  @Test("URLs that are not absolute are counted, with any number of lanes", arguments: [1, 4])
  func counted(lanes: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/news.json"
    let images = ["https://h.example/1.jpg", "//h/2.jpg", "", "https://h.example/a b"]
    let records = try (0..<2_000).map { number in
      try Self.article("https://h.example/\(number)", image: images[number % images.count])
    }
    try Data(Self.news(records).utf8).write(to: URL(fileURLWithPath: path))
    var parser = PayloadParser()
    parser.options.lanes = lanes
    parser.options.laneBytes = 4096
    let summary = try parser.forEachBatch(in: path) { _ in }
    #expect(summary.records == 2_000)
    #expect(summary.oddURLs == 1_000)
  }
}
