@_spi(Ingest) import FeedRecord
import JSONStream

/// Turns the records that a reader delivers into batches that can be stored.
final class BatchSink<Failure: Error>: PayloadSink {
  private var schema: PayloadSchema?
  private var recordCount = 0
  private let body: (RecordBatch) throws(Failure) -> Void

  init(_ body: @escaping (RecordBatch) throws(Failure) -> Void) { self.body = body }

  var skipsRecords: Bool { false }

  func begin(_ schema: PayloadSchema) { self.schema = schema }

  func take(_ records: inout RecordEncoder) throws(Failure) {
    guard let schema else { return }
    let count = records.count
    // The batch keeps the encoder with its records, and the reader continues with a new one.
    let batch = RecordBatch(
      schema, firstIndex: recordCount,
      taking: exchange(&records, with: RecordEncoder(layout: schema.layout)))
    recordCount += count
    try body(batch)
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
