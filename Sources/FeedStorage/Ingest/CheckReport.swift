public import FeedSchema
public import JSONStream
import URLEscaping

/// The result of validating a file.
public struct CheckReport: Sendable, Hashable {
  /// The kind of its records, if known.
  public var kind: String?
  /// The number of valid records that fit their contract: all, or those before the error.
  public var records: Int
  /// The number of optional URLs in the records that are relative, lack a host or are invalid.
  /// Their text is kept.
  public var oddURLs = 0
  /// The first error in the file; nil if the file is valid.
  public var error: JSONError?

  /// Validates a payload file and stores nothing.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - schema: the contract of its records; by default the contract of the catalog that covers the
  ///     first records without loss, and otherwise none: any JSON is valid.
  ///   - catalog: the contracts to choose from.
  ///   - options: how to read the document.
  ///   - dates: how to treat a date in another form than the contract's.
  public init(
    ofPayload path: String, schema: PayloadSchema? = nil, catalog: PayloadCatalog = .standard,
    options: JSONOptions = JSONOptions(), dates: PayloadParser.Dates = .strict
  ) {
    var reading = DocumentReading()
    reading.dates = dates
    let consumer = PayloadConsumer(
      catalog: catalog, schema: schema, dates: dates,
      documents: schema == nil ? reading : nil, options: options, sink: DroppingSink())
    consumer.acceptsEmpty = true
    self.init(path, consumer, options, framing: .records)
  }

  /// Validates that a file is exactly one JSON text (RFC 8259) with any content. The report has no
  /// kind and no records. A byte order mark at the beginning is skipped.
  public init(ofText path: String, options: JSONOptions = JSONOptions()) {
    let consumer = PayloadConsumer(catalog: .standard, schema: nil, sink: DroppingSink())
    self.init(path, consumer, options, framing: .none)
  }

  private init(
    _ path: String, _ consumer: PayloadConsumer<DroppingSink>, _ options: JSONOptions,
    framing: RecordReader.Framing
  ) {
    do throws(JSONError) {
      let source = try InputSource(path)
      let reader = RecordReader(
        consumer: consumer, file: source.name, options: options, framing: framing)
      try reader.read(from: source)
    } catch {
      self.error = error
    }
    kind = consumer.schema?.name
    records = consumer.recordCount
    oddURLs = consumer.oddURLs.unusable(withBase: false)
  }
}
