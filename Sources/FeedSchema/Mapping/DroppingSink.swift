@_spi(Ingest) package import FeedRecord
package import JSONStream

/// Drops the records, which are only counted or checked. A bad record stops the reading.
package final class DroppingSink: PayloadSink {
  package init() {}

  package var skipsRecords: Bool { false }

  package func begin(_ schema: PayloadSchema) {}

  package func take(_ records: inout RecordEncoder) { records.removeAll() }

  package func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
