import FeedSchema
import JSONStream

/// The content of `/openapi.json`, which describes the paths (OpenAPI 3.1).
///
/// The resource `openapi.json` is the document of a server that requires credentials. It leaves the
/// schemas of records empty.
struct OpenAPIDocument: Sendable {
  /// The document of a server without authentication.
  static let open = OpenAPIDocument(isGuarded: false)
  /// The document of a server that requires credentials.
  static let guarded = OpenAPIDocument(isGuarded: true)

  let text: [UInt8]
  let tag: String

  private init(isGuarded: Bool) {
    var text = String(decoding: PackageResources.openapi_json, as: UTF8.self)
    if !isGuarded {
      text = text.replacing("  \"security\": [{\"basic\": []}, {\"bearer\": []}],\n", with: "")
    }
    for schema in [PayloadSchema.universities, .feed, .comments, .characters, .news] {
      let record = String(decoding: schema.jsonSchema(isAnnotated: false).text, as: UTF8.self)
      text = text.replacing("\"\(schema.name)\": {}", with: "\"\(schema.name)\": \(record)")
    }
    self.text = Array(text.utf8)
    tag = ContentTag.text(self.text)
  }
}
