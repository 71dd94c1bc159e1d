@_spi(Ingest) import FeedRecord
import FeedSchema
import JSONStream
import Testing

/// The stored bytes of a document depend only on its text.
@Suite("Encoded documents")
struct EncodedDocumentTests {
  private typealias Encoded = (records: [[UInt8]], hashes: [UInt64], replayed: Int)

  private func encode(
    _ document: String, key: [String], indexes: [String] = [],
    _ validation: JSONOptions.Validation, _ change: (inout JSONOptions) -> Void = { _ in }
  ) throws -> Encoded {
    var reading = DocumentReading()
    (reading.contracts, reading.key, reading.indexes) = (.none, key, indexes)
    var options = JSONOptions()
    (options.validation, options.lanes) = (validation, 1)
    change(&options)
    let sink = EncodedRecords()
    let consumer = PayloadConsumer(
      catalog: .standard, schema: nil, documents: reading, options: options, sink: sink)
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    try reader.feed(Array(document.utf8).span.bytes)
    try reader.finish()
    return (sink.records, sink.hashes, reader.validationCounts.replayed)
  }

  /// Expects that all modes encode the same records, some by replay. Returns these records.
  private func expectEqual(
    _ document: String, key: [String], indexes: [String] = [],
    _ change: (inout JSONOptions) -> Void = { _ in }
  ) throws -> Encoded {
    let expected = try encode(document, key: key, indexes: indexes, .yajl, change)
    for validation in [JSONOptions.Validation.replay, .both] {
      let found = try encode(document, key: key, indexes: indexes, validation, change)
      #expect(found.records == expected.records && found.hashes == expected.hashes)
      #expect(found.replayed > 0)
    }
    return expected
  }

  @Test("records with and without white space have the same bytes in each mode")
  func whiteSpace() throws {
    let forms: [(Int) -> String] = [
      { #"{"id":\#($0),"a":{"b":"x\#($0)"},"c":[1,2]}"# },
      { "{ \"id\" : \($0) ,\n \"a\":{ \"b\" : \"x\\n\($0)\" } , \"c\":[ true , null ] }" },
      { #"{"id": \#($0).0, "a": {"b": false}, "id": \#($0)}"# },
      { #"{ "a" : null , "c" : [ ] , "id" : "k\#($0)" }"# },
      { _ in "{ }" },
    ]
    let records = (0..<600).map { forms[$0 / 3 % forms.count]($0) }
    for duplicates in [JSONOptions.DuplicateKeys.first, .last] {
      let encoded = try expectEqual(
        "[\(records.joined(separator: ",\n"))]", key: ["id"], indexes: ["a.b"]
      ) { $0.duplicateKeys = duplicates }
      #expect(encoded.records.count == 600)
    }
  }

  @Test("the key of two parts has the same hash in each mode")
  func composedKey() throws {
    let records = (0..<50).map { #"{ "a" : "x\#($0)" , "b" : { "c" : \#($0 % 2 == 0) } }"# }
    let encoded = try expectEqual("[\(records.joined(separator: ","))]", key: ["a", "b.c"])
    #expect(Set(encoded.hashes).count == 50)
  }

  @Test("records around the size limit of a span have the same bytes in each mode")
  func sizes() throws {
    // Replay learns glue of up to 4 KiB, so the white space is before many keys. It is about half of a
    // record, which begins with some of it and is therefore copied.
    for size in [59_900, 60_000, 60_100, 65_500, 65_536, 65_600, 130_000] {
      let record = { (text: String) in
        let space = String(repeating: " ", count: size / 100)
        let value = String(repeating: text, count: size / 100 - 12)
        let members = (0..<50).map { #"\#(space)"k\#($0 + 10)":"\#(value)""# }
        let start = "{" + members.joined(separator: ",") + #","id":"\#(text)""#
        return start + String(repeating: " ", count: max(0, size - start.utf8.count - 1)) + "}"
      }
      #expect(record("a").utf8.count == size)
      let encoded = try expectEqual("[\(record("a")),\(record("b")),\(record("c"))]", key: ["id"])
      #expect(encoded.records.count == 3)
    }
  }
}

private final class EncodedRecords: PayloadSink {
  private(set) var records: [[UInt8]] = []
  private(set) var hashes: [UInt64] = []
  let skipsRecords = false

  func begin(_ schema: PayloadSchema) {}

  func take(_ encoder: inout RecordEncoder) throws(RecordError) {
    for index in 0..<encoder.count {
      records.append(encoder.bytes(at: index).withUnsafeBytes { [UInt8]($0) })
      hashes.append(encoder.keyHash(at: index))
    }
  }

  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {}

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
