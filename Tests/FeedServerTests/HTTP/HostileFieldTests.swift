#if Server
  import FeedAPI
  import FeedPresentation
  import Foundation
  import HTTPTypes
  import TestSupport
  import Testing

  @testable import FeedServer

  @Suite("The fields of a request")
  struct HostileFieldTests {
    private static let words = [
      "bytes", "0", "99999999999999999999", "-1", "en", "pt-BR", "el", "1.000", "0.5", "gzip",
      "zstd", "identity", "W/", "Basic", "Bearer", "dXNlcjpwdw==", "feeds", "page", "%41", "http",
      "Sun", "Nov", "06", "1994", "08:49:37", "GMT",
    ]

    @Test("are parsed whatever they contain")
    func fields() {
      var random = SeededGenerator(seed: 3)
      for _ in 0..<20_000 {
        let text = HostileText.made(of: Self.words, using: &random)
        if let bytes = ByteRange("bytes=" + text)?.bytes(of: 100) {
          #expect(bytes.lowerBound >= 0 && bytes.upperBound <= 100 && !bytes.isEmpty)
        }
        _ = EntityTagList(text)
        _ = ContentCoding(acceptEncoding: text)
        _ = Language(acceptLanguage: text)
        if let date = HTTPDate.parse(text) {
          #expect(date.timeIntervalSinceReferenceDate.isFinite)
        }
        if let target = RequestTarget("/" + text) {
          #expect(!target.segments.isEmpty)
          _ = target["q"]
        }
        if let cursor = PageCursor(text) { #expect(cursor.position >= 0) }
        _ = RequestTarget(text)
      }
    }

    @Test("admit no client by chance")
    func authorization() throws {
      var random = SeededGenerator(seed: 4)
      let credentials = try #require(Credentials(lines: "user:secret"))
      for _ in 0..<5000 {
        var fields = HTTPFields()
        fields[.authorization] = HostileText.made(of: Self.words, using: &random)
        if let identity = Credentials.Identity(fields) { #expect(!credentials.admit(identity)) }
      }
    }
  }
#endif
