@_spi(Ingest) package import FeedRecord
package import JSONStream

/// Receives mapped records.
package protocol PayloadSink: AnyObject {
  /// The sink's own error.
  associatedtype Failure: Error

  /// Whether rejected records may be skipped.
  var skipsRecords: Bool { get }

  /// Called with the schema of the records, before the first of them.
  func begin(_ schema: PayloadSchema)

  /// Receives the text of a document outside its records, in order and in pieces.
  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool)

  /// Receives records in document order. May take them out of the encoder. Throws to stop reading.
  func take(_ records: inout RecordEncoder) throws(Failure)

  /// Called with the error and the text of a rejected record. Throws to stop reading.
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError)
}

extension PayloadSink {
  package func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {}
}

/// Drops the records, which are only counted or checked. A bad record stops the reading.
package final class DroppingSink: PayloadSink {
  package init() {}

  package var skipsRecords: Bool { false }

  package func begin(_ schema: PayloadSchema) {}

  package func take(_ records: inout RecordEncoder) { records.removeAll() }

  package func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
