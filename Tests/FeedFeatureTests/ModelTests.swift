import FeedFeature
import Foundation
import Testing

@Suite("Models: the fields of the documents, with the keys of their payloads")
struct ModelTests {
  private func decode<Model: Decodable>(_ type: Model.Type, _ text: String) throws -> Model {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: Data(text.utf8))
  }

  private func throughPayload<Model: Codable>(_ model: Model) throws -> Model {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return try decode(Model.self, String(decoding: encoder.encode(model), as: UTF8.self))
  }

  @Test("ListApp, Feed Image: a university, whose state may be missing or null")
  func university() throws {
    let pair = #""name":"A","country":"B","alpha_two_code":"CD","web_pages":["https://a/"]"#
    let university = University(
      name: "A", country: "B", alphaTwoCode: "CD", webPages: ["https://a/"])
    #expect(try decode(University.self, "{\(pair)}") == university)
    #expect(try decode(University.self, #"{"state-province":null,\#(pair)}"#) == university)
    #expect(
      try decode(University.self, #"{"state-province":"E",\#(pair)}"#).stateProvince == "E")
    #expect(throws: DecodingError.self) { try decode(University.self, #"{"name":"A"}"#) }
  }

  @Test(
    "Essential App and Essential Feed App, Feed Image: description and location may be missing",
    arguments: [(nil, nil), ("a", nil), (nil, "b"), ("a", "b")] as [(String?, String?)])
  func feedImage(description: String?, location: String?) throws {
    let image = FeedImage(
      id: Samples.image(1).id, description: description, location: location,
      url: Samples.url("image"))
    #expect(try throughPayload(image) == image)
  }

  @Test("Essential App, Image Comment: the author is an object with a user name")
  func comment() throws {
    let text = """
      {"id":"00000000-0000-0000-0000-000000000001","message":"a message",\
      "created_at":"2020-05-20T12:00:00+00:00","author":{"username":"a user"}}
      """
    let comment = ImageComment(
      id: Samples.image(1).id, message: "a message", createdAt: now, username: "a user")
    #expect(try decode(ImageComment.self, text) == comment)
    #expect(try throughPayload(comment) == comment)
  }

  @Test("Rick and Morty App, Feed Item: characters, and the next page unless it is the last")
  func characterPage() throws {
    let page = CharacterPage(characters: Samples.characters, nextPage: Samples.url("2"))
    #expect(try throughPayload(page) == page)
    let last = try decode(CharacterPage.self, #"{"info":{"next":null},"results":[]}"#)
    #expect(last == CharacterPage(characters: []))
    #expect(throws: DecodingError.self) { try decode(CharacterPage.self, #"{"results":[]}"#) }
  }

  @Test("EssentialNews, Article: optional fields may be missing, but not the source's name")
  func article() throws {
    #expect(try throughPayload(Samples.articles[0]) == Samples.articles[0])
    let full = Article(
      source: Source(id: "a", name: "A"), author: "b", title: "c", description: "d",
      url: Samples.url("e"), urlToImage: Samples.url("f"), publishedAt: now, content: "g")
    #expect(try throughPayload(full) == full)
    #expect(throws: DecodingError.self) { try decode(Source.self, #"{"id":"a"}"#) }
  }
}
