@_spi(Ingest) import FeedRecord
import FeedSchema
import JSONStream

/// Receives mapped records and writes each as JSON again.
final class MappedRecords: PayloadSink {
  var schema: PayloadSchema?
  var json: [String] = []
  var bytes: [[UInt8]] = []
  var hashes: [UInt64] = []
  var rejected: [JSONError] = []
  var isLenient = false

  var skipsRecords: Bool { isLenient }

  func begin(_ schema: PayloadSchema) { self.schema = schema }

  func take(_ records: inout RecordEncoder) throws(RecordError) {
    guard let schema else { return }
    let writer = RecordWriter(schema)
    for index in 0..<records.count {
      hashes.append(records.keyHash(at: index))
      bytes.append(records.bytes(at: index).withUnsafeBytes { [UInt8]($0) })
      var text: [UInt8] = []
      let view = try RecordView(
        records.bytes(at: index), layout: schema.layout, isWide: records.isWide(at: index))
      try writer.append(view, to: &text)
      json.append(String(decoding: text, as: UTF8.self))
    }
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard isLenient else { throw error }
    rejected.append(error)
  }
}

/// Reads one document; the records, or the error that ended it.
func map(
  _ document: String, as schema: PayloadSchema? = nil, lenient: Bool = false,
  dates: PayloadParser.Dates = .strict
) throws(JSONError) -> MappedRecords {
  let records = MappedRecords()
  records.isLenient = lenient
  let consumer = PayloadConsumer(
    catalog: .standard, schema: schema, dates: dates, sink: records)
  let reader = RecordReader(consumer: consumer, file: "test")
  try reader.feed(Array(document.utf8).span.bytes)
  try reader.finish()
  return records
}

func failure(
  of document: String, as schema: PayloadSchema? = nil, dates: PayloadParser.Dates = .strict
) -> JSONError? {
  do {
    _ = try map(document, as: schema, dates: dates)
    return nil
  } catch {
    return error
  }
}
