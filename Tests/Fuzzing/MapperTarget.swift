@_spi(Ingest) import FeedRecord
@_spi(Ingest) import FeedSchema
import JSONStream
import TestSupport

/// Maps any document by a schema, and reads every mapped record back.
///
/// The first byte of an input chooses the schema, whether bad records are skipped, and the chunk
/// size; the rest is the document.
enum MapperTarget: FuzzTarget {
  private static let schemas = PayloadCatalog.standard.schemas

  static func take(_ input: RawSpan) {
    guard !input.isEmpty else { return }
    let choice = Int(input.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
    // Numbers beyond the schemas: the consumer detects the schema.
    let schema = choice % 8
    let sink = ReadBackSink(skipsBadRecords: choice & 8 != 0)
    let consumer = PayloadConsumer(
      catalog: .standard, schema: schema < schemas.count ? schemas[schema] : nil, sink: sink)
    let chunk = choice & 16 != 0 ? 7 : Int.max
    ParserHarness.read(input.extracting(1..<input.byteCount), chunk: chunk, into: consumer)
    precondition(sink.count == consumer.recordCount, "records were lost between mapper and sink")
  }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] {
    let files = seeds.large.flatMap { file in (0..<8).map { [UInt8($0)] + file } }
    return files + seeds.small.enumerated().map { [UInt8($0 % 32)] + $1 }
  }
}

/// Reads every field of the records that it receives.
private final class ReadBackSink: PayloadSink {
  private let skipsBadRecords: Bool
  private var schema: PayloadSchema?
  private(set) var count = 0

  init(skipsBadRecords: Bool) { self.skipsBadRecords = skipsBadRecords }

  var skipsRecords: Bool { skipsBadRecords }

  func begin(_ schema: PayloadSchema) { self.schema = schema }

  func take(_ records: inout RecordEncoder) {
    guard let schema else { preconditionFailure("records came before their schema") }
    for index in 0..<records.count {
      do {
        let record = try RecordView(
          records.bytes(at: index), layout: schema.layout, isWide: records.isWide(at: index))
        try Self.read(record, schema)
      } catch {
        preconditionFailure("a mapped record cannot be read: \(error)")
      }
    }
    count += records.count
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    if !skipsBadRecords { throw error }
  }

  private static func read(
    _ record: borrowing RecordView, _ schema: PayloadSchema
  ) throws(RecordError) {
    for field in schema.layout.fields {
      let isPresent = record.isPresent(field.id)
      precondition(isPresent || field.isOptional, "a required field is missing")
      precondition(!(isPresent && record.isNull(field.id)), "a field is null and is not")
      try RecordReading.read(record, field)
    }
  }
}
