import FeedCore
import Foundation
import Testing

@testable import FeedServer

@Suite("The OpenAPI document")
struct OpenAPIDocumentTests {
  private func object(_ document: OpenAPIDocument) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(document.text)) as? [String: Any])
  }

  @Test("requires credentials exactly if the server does")
  func security() throws {
    #expect(try object(.open)["security"] == nil)
    #expect(try (object(.guarded)["security"] as? [Any])?.count == 2)
    #expect(OpenAPIDocument.open.tag != OpenAPIDocument.guarded.tag)
  }

  @Test("has the schemas of all records and the limit of a search text")
  func schemas() throws {
    let components = try #require(object(.open)["components"] as? [String: Any])
    let schemas = try #require(components["schemas"] as? [String: [String: Any]])
    for schema in [PayloadSchema.universities, .feed, .comments, .characters, .news] {
      let properties = schemas[schema.name]?["properties"] as? [String: Any]
      #expect(properties?.isEmpty == false, "\(schema.name)")
    }
    #expect(schemas["SearchText"]?["maxLength"] as? Int == TextSearch.limit)
  }
}
