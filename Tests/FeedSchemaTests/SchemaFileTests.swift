import FeedSchema
import Foundation
import Testing

@Suite("The contracts of the apps as schema files")
struct SchemaFileTests {
  @Test("are equal to the Swift values", arguments: PayloadCatalog.standard.schemas)
  func presets(_ schema: PayloadSchema) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appending(path: "Examples/schemas/\(schema.name).schema.json")
    let text = [UInt8](try Data(contentsOf: file))
    #expect(try PayloadSchema(jsonText: text.span.bytes) == schema)
  }
}
