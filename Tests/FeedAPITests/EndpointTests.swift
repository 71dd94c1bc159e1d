import FeedAPI
import Foundation
import Testing

@Suite("An endpoint's URL")
struct EndpointTests {
  private static let id = Payloads.ids[0]

  @Test(
    "has the path of the document, and the port and query of the base",
    arguments: [
      ("https://service.com", "https://service.com/v1/feed?limit=10"),
      ("https://service.com/", "https://service.com/v1/feed?limit=10"),
      ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x/v1/feed?limit=10"),
      ("http://h:1/a%20b/?key=a%2Bb&c", "http://h:1/a%20b/v1/feed?key=a%2Bb&c&limit=10"),
      ("http://user:pw@h:1/?limit=3&key=1#top", "http://user:pw@h:1/v1/feed?key=1&limit=10"),
      ("http://[::1]:8080", "http://[::1]:8080/v1/feed?limit=10"),
    ])
  func feed(base: String, expected: String) {
    #expect(FeedEndpoint.get().url(baseURL: Payloads.url(base)).absoluteString == expected)
  }

  @Test("requests the images after an image")
  func after() {
    let url = FeedEndpoint.get(after: Self.id, limit: 3)
      .url(baseURL: Payloads.url("https://service.com:8080/?key=1"))
    #expect(
      url.absoluteString == "https://service.com:8080/v1/feed?key=1&limit=3&after_id=\(Self.id)")
  }

  @Test("has the id of the image whose comments it requests")
  func comments() {
    let url = ImageCommentsEndpoint.get(Self.id)
      .url(baseURL: Payloads.url("https://service.com:8080/?key=1"))
    #expect(
      url.absoluteString == "https://service.com:8080/v1/image/\(Self.id)/comments?key=1")
  }

  @Test("escapes the search terms")
  func universities() {
    let url = UniversitiesEndpoint.search(name: "A&B +é", country: "Côte d'Ivoire")
      .url(baseURL: Payloads.url("http://service.com:8080"))
    #expect(
      url.absoluteString
        == "http://service.com:8080/search?name=A%26B%20%2B%C3%A9&country=C%C3%B4te%20d%27Ivoire")
    let all = UniversitiesEndpoint.search().url(baseURL: Payloads.url("http://service.com:8080"))
    #expect(all.absoluteString == "http://service.com:8080/search")
  }

  @Test("numbers pages")
  func pages() {
    let base = Payloads.url("https://service.com/api?apiKey=k")
    #expect(
      CharactersEndpoint.page().url(baseURL: base).absoluteString
        == "https://service.com/api/character?apiKey=k")
    #expect(
      CharactersEndpoint.page(2).url(baseURL: base).absoluteString
        == "https://service.com/api/character?apiKey=k&page=2")
    #expect(
      NewsEndpoint.topHeadlines(country: "us", page: 3, pageSize: 7).url(baseURL: base)
        .absoluteString
        == "https://service.com/api/v2/top-headlines?apiKey=k&country=us&page=3&pageSize=7")
  }
}
