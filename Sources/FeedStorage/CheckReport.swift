public import FeedFeature
public import FeedPayloads
@_spi(Ingest) import FeedRecord
public import JSONStream

/// What proving a file has shown.
public struct CheckReport: Sendable, Hashable {
  /// The kind of its records, as far as it became known.
  public var kind: String?
  /// Records that were proved and fit their contract: all, or those before the error.
  public var records: Int
  /// The first error by its place in the file; nil if the file is valid.
  public var error: JSONError?

  /// Proves a payload file and stores nothing.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - schema: the contract its records must follow; by default the one of the catalog that
  ///     the first record fits.
  ///   - catalog: the contracts to choose from.
  ///   - options: how to read the document.
  ///   - dates: what becomes of a date that is not of the contract's form.
  public init(
    ofPayload path: String, schema: PayloadSchema? = nil, catalog: PayloadCatalog = .standard,
    options: JSONOptions = JSONOptions(), dates: CachePolicy.Dates = .strict
  ) {
    let consumer = PayloadConsumer(
      catalog: catalog, schema: schema, dates: dates, sink: Dropped())
    self.init(path, consumer, options, framing: .records)
  }

  /// Proves that a file is exactly one JSON text (RFC 8259), whatever it holds. It has no kind
  /// and no records. A byte order mark at its beginning is passed over.
  public init(ofText path: String, options: JSONOptions = JSONOptions()) {
    let consumer = PayloadConsumer(catalog: .standard, schema: nil, sink: Dropped())
    self.init(path, consumer, options, framing: .none)
  }

  private init(
    _ path: String, _ consumer: PayloadConsumer, _ options: JSONOptions,
    framing: RecordReader.Framing
  ) {
    do throws(JSONError) {
      let source = try InputSource(path)
      let reader = RecordReader(
        consumer: consumer, file: source.name, options: options, framing: framing)
      try reader.read(from: source) { _ in }
    } catch {
      self.error = error
    }
    kind = consumer.schema?.name
    records = consumer.recordCount
  }
}

/// Drops the records that it is given.
private final class Dropped: PayloadSink {
  var skipsRecords: Bool { false }

  func begin(_ schema: PayloadSchema) {}
  func take(_ records: inout RecordEncoder) throws(JSONError) {}
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
