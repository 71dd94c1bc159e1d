import FeedFeature
import Foundation

/// A payload of each document's contract, and its models.
enum Payloads {
  static let universities = """
    [{"domains":["mbzuai.ac.ae"],"state-province":"Abu Dhabi","name":"MBZUAI",\
    "web_pages":["https://mbzuai.ac.ae/"],"country":"United Arab Emirates","alpha_two_code":"AE"},
    {"name":"American College Of Dubai","state-province":null,"domains":["acd.ac.ae"],\
    "web_pages":["http://www.acd.ac.ae/"],"alpha_two_code":"AE","country":"United Arab Emirates",\
    "unknown":{"key":[1]}}]
    """
  static let universityModels = [
    University(
      name: "MBZUAI", country: "United Arab Emirates", alphaTwoCode: "AE",
      stateProvince: "Abu Dhabi", webPages: ["https://mbzuai.ac.ae/"], domains: ["mbzuai.ac.ae"]),
    University(
      name: "American College Of Dubai", country: "United Arab Emirates", alphaTwoCode: "AE",
      webPages: ["http://www.acd.ac.ae/"], domains: ["acd.ac.ae"]),
  ]

  static let ids = [
    "73A7F70C-75DA-4C2E-B5A3-EED40DC53AA6", "BA298A85-6275-48D3-8315-9C8F7C1CD109",
  ].compactMap { UUID(uuidString: $0) }

  static let feed = """
    {"items":[{"id":"\(ids[0])","description":"a description","location":"a location",\
    "image":"https://a-image.url"},{"id":"\(ids[1])","image":"https://another-image.url"}]}
    """
  static let feedModels = [
    FeedImage(
      id: ids[0], description: "a description", location: "a location",
      url: url("https://a-image.url")),
    FeedImage(id: ids[1], url: url("https://another-image.url")),
  ]

  static let comments = """
    {"items":[{"id":"\(ids[0])","message":"a message","created_at":"2020-05-20T11:24:59+0000",\
    "author":{"username":"a username"}},{"id":"\(ids[1])","message":"another message",\
    "created_at":"2020-05-19T14:23:53+00:00","author":{"username":"another username"}}]}
    """
  static let commentModels = [
    ImageComment(
      id: ids[0], message: "a message", createdAt: Date(timeIntervalSince1970: 1_589_973_899),
      username: "a username"),
    ImageComment(
      id: ids[1], message: "another message",
      createdAt: Date(timeIntervalSince1970: 1_589_898_233), username: "another username"),
  ]

  static func characters(info: String) -> String {
    #"{"info":\#(info),"results":[{"name":"a name","status":"Alive","species":"Human","#
      + #""image":"https://image-url.com"}]}"#
  }
  static let characterModels = [
    SeriesCharacter(
      name: "a name", status: "Alive", species: "Human", image: url("https://image-url.com"))
  ]

  static let news = """
    {"status":"ok","totalResults":1,"articles":[{"source":{"id":null,"name":"a source"},\
    "author":"an author","title":"a title","description":null,"url":"https://an-article.url/1",\
    "urlToImage":"https://an-image.url","publishedAt":"2023-05-20T11:24:59Z","content":"text"}]}
    """
  static let newsModels = [
    Article(
      source: Source(name: "a source"), author: "an author", title: "a title",
      url: url("https://an-article.url/1"), urlToImage: url("https://an-image.url"),
      publishedAt: Date(timeIntervalSince1970: 1_684_581_899), content: "text")
  ]

  static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}
