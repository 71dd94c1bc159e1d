import JSONStream
import TestSupport
import Testing

@testable import FeedSchema

@Suite("Hostile document texts")
struct HostileDocumentTextTests {
  @Test("no mutation or truncation of a document or of a schema traps", arguments: 0..<2)
  func mutations(shard: UInt64) {
    var random = SeededGenerator(seed: 3300 + shard)
    for sample in HostileDocumentText.samples {
      for length in 0...sample.count {
        HostileDocumentText.take(sample.span.bytes.extracting(0..<length), choice: length)
      }
      for choice in 0..<3_000 {
        let bytes = Mutation.mutated(sample, using: &random)
        HostileDocumentText.take(bytes.span.bytes, choice: choice)
      }
    }
  }

  @Test("the sample schema is valid")
  func sample() throws {
    var reader = DocumentSchemaReader()
    let text = try #require(HostileDocumentText.samples.last)
    let schema = try reader.schema(storedText: text.span.bytes)
    #expect(schema.fields.map(\.path) == [["id"]])
    #expect(schema.document?.plan == DocumentPlan(.array, at: ["a/b"]))
  }
}
