import FeedAPI
import FeedFeature
import Foundation
import Testing

@Suite("Mapping a response without a client")
struct FeedResponseMapperTests {
  private func data(_ text: String) -> Data { Data(text.utf8) }

  @Test("bytes and status 200 become the items of each contract")
  func items() throws {
    #expect(
      try FeedResponseMapper<University>().items(in: data(Payloads.universities), status: 200)
        == Payloads.universityModels)
    #expect(
      try FeedResponseMapper<FeedImage>().items(in: data(Payloads.feed), status: 200)
        == Payloads.feedModels)
    #expect(
      try FeedResponseMapper<Article>().items(in: data(Payloads.news), status: 200)
        == Payloads.newsModels)
    #expect(
      try FeedResponseMapper<FeedImage>().items(in: data(#"{"items":[]}"#), status: 200) == [])
  }

  @Test("another status is invalid data, whatever the bytes", arguments: [199, 201, 300, 400, 500])
  func statuses(status: Int) {
    let error = #expect(throws: RemoteError.self) {
      try FeedResponseMapper<FeedImage>().items(in: data(Payloads.feed), status: status)
    }
    #expect(error?.kind == .invalidData)
    #expect(error?.cause == .status(status))
  }

  @Test("comments are accepted with any status from 200 to 299", arguments: [200, 201, 250, 299])
  func comments(status: Int) throws {
    let mapper = FeedResponseMapper<ImageComment>(statuses: .successful)
    #expect(try mapper.items(in: data(Payloads.comments), status: status) == Payloads.commentModels)
    #expect(throws: RemoteError.self) { try mapper.items(in: data(Payloads.comments), status: 300) }
  }

  @Test(
    "bytes that violate the contract are invalid data",
    arguments: ["", "invalid json", "{}", #"{"items":[{}]}"#, #"{"items":[]} x"#])
  func invalid(text: String) {
    let error = #expect(throws: RemoteError.self) {
      try FeedResponseMapper<FeedImage>().items(in: data(text), status: 200)
    }
    #expect(error?.kind == .invalidData)
  }

  @Test("the envelope of a page has what its service states about the pages")
  func envelope() throws {
    struct Own: Decodable, Sendable { var info: [String: Int] }
    let own = try FeedResponseMapper<SeriesCharacter>().page(
      in: data(Payloads.characters(info: #"{"offset":40}"#)), status: 200
    ) { (items, envelope) throws(RemoteError.Cause) in
      (items.count, try envelope.decode(Own.self).info["offset"])
    }
    #expect(own == (1, 40))
    let stated = PageEnvelope(
      Array(#"{"info":{"count":826,"pages":42,"next":"http://a/?page=2"}}"#.utf8))
    #expect(stated.info?.count == 826 && stated.info?.pages == 42 && stated.totalCount == 826)
    #expect(PageEnvelope(Array(#"{"totalResults":38}"#.utf8)).totalCount == 38)
    #expect(PageEnvelope(Array(#"{"info":{"count":"many","next":null}}"#.utf8)).info?.count == nil)
    #expect(PageEnvelope([]).info == nil && PageEnvelope([]).totalCount == nil)
    #expect(throws: RemoteError.Cause.self) { try stated.decode(Own.self) }
  }

  @Test("the link to the next page has the caller's credentials within its origin, and no others")
  func credentials() throws {
    func next(_ link: String, after url: String) throws -> String? {
      let envelope = PageEnvelope(Array(#"{"info":{"next":"\#(link)"}}"#.utf8))
      return try envelope.nextPage(after: Payloads.url(url))?.absoluteString
    }
    #expect(try next("http://a/?page=2", after: "http://u:p@a/") == "http://u:p@a/?page=2")
    #expect(try next("http://b/?page=2", after: "http://u:p@a/") == "http://b/?page=2")
    #expect(try next("http://x:y@b/?page=2", after: "http://a/") == "http://b/?page=2")
    #expect(try next("https://a/?page=2", after: "http://a/") == "https://a/?page=2")
    for link in ["/?page=2", "file:///etc/passwd", "", "http://", "redis://a/"] {
      #expect(throws: RemoteError.Cause.self, "\(link)") { try next(link, after: "http://a/") }
    }
  }

  @Test("an image needs status 200 and at least one byte")
  func image() throws {
    #expect(try FeedImageDataMapper.data(in: data("png"), status: 200) == data("png"))
    for (text, status) in [("png", 201), ("png", 404), ("", 200)] {
      let error = #expect(throws: RemoteError.self) {
        try FeedImageDataMapper.data(in: data(text), status: status)
      }
      #expect(error?.kind == .invalidData)
    }
  }
}
