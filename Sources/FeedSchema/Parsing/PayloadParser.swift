@_spi(Ingest) import FeedRecord
public import JSONStream
import URLEscaping

/// Reads payloads into batches of records: from a file, from standard input, or from bytes of
/// another source. Memory use does not grow with the document.
///
/// ```swift
/// let parser = PayloadParser()
/// try parser.forEachBatch(in: "universities.json") { batch in
///   for university in try batch.models(University.self) { print(university.name) }
/// }
/// for try await record in parser.batches(in: "universities.json").records { … }
/// ```
public struct PayloadParser: Sendable {
  /// The payload contract; by default the contract of the catalog that fits the first record.
  public var schema: PayloadSchema?
  /// The contracts to choose from.
  public var catalog = PayloadCatalog.standard
  /// How to treat a date in another form than the contract's; by default the payload is rejected.
  public var dates = Dates.strict
  /// How to read a document: limits, lanes, and choices that JSON leaves open.
  public var options = JSONOptions()

  /// How to treat a date that does not have its contract's form (RFC 3339).
  public enum Dates: String, Sendable, CaseIterable {
    /// The record is invalid.
    case strict
    /// Accepts further forms that services use: a space in place of the `T` or before the zone; no
    /// zone, which is UTC; `UTC` or `GMT`; an offset of hours alone; no seconds; no time, which is
    /// midnight; a comma before the fraction; and the dates of mail and RSS (RFC 5322, section
    /// 3.3). Any other text counts as missing in an optional field, and makes the record invalid
    /// otherwise.
    case lenient
  }

  /// Creates a strict parser with a lane for each processor.
  ///
  /// - Parameter schema: the contract; nil to detect it from the first record.
  public init(schema: PayloadSchema? = nil) { self.schema = schema }

  /// The result of reading a document.
  public struct Summary: Sendable, Hashable {
    /// The contract of the records; nil only if nothing was read.
    public var schema: PayloadSchema?
    /// The number of delivered records.
    public var records = 0
    /// The decompressed size of the document in bytes.
    public var bytes = 0
    /// The number of optional URLs that are not absolute, such as `/a.jpg`. Their text is kept.
    public var oddURLs = 0
  }

  /// Calls `body` with each batch of a document, in order, on this thread. Meanwhile the lanes
  /// continue, up to a few batches ahead.
  ///
  /// All records before a fault are delivered before it is thrown. A caller that must not act on a
  /// partial document waits for the return.
  ///
  /// - Parameters:
  ///   - path: a file, plain or compressed (gzip, Zstandard); `-` is standard input.
  ///   - body: receives a batch; may throw any error to stop.
  /// - Throws: a `JSONError` for the first fault in the document, or of kind `cancelled` if the
  ///   calling task is cancelled; and any error of `body`.
  @discardableResult
  public func forEachBatch(
    in path: String, _ body: (RecordBatch) throws -> Void
  ) throws -> Summary {
    try withoutActuallyEscaping(body) { body in
      let consumer = consumer(of: body)
      do throws(JSONError) {
        return try read(path, into: consumer) { Task.isCancelled }
      } catch {
        throw consumer.failure ?? error
      }
    }
  }

  /// - Parameter isCancelled: called once per chunk, and about every 50 ms while no input arrives.
  func read<Failure>(
    _ path: String, into consumer: PayloadConsumer<BatchSink<Failure>>, isCancelled: () -> Bool
  ) throws(JSONError) -> Summary {
    let source = try InputSource(path)
    let reader = RecordReader(consumer: consumer, file: source.name, options: options)
    try reader.read(from: source) { (_, _) throws(JSONError) in
      if isCancelled() { throw JSONError(.cancelled, "cancelled", file: source.name) }
    }
    return Summary(
      schema: consumer.schema, records: consumer.recordCount, bytes: reader.byteCount,
      oddURLs: consumer.oddURLs.unusable(withBase: false))
  }

  /// The batches of a document as an asynchronous sequence. It may be iterated several times; each
  /// iteration reads the document again, on its own thread.
  ///
  /// - Parameter path: a file, plain or compressed (gzip, Zstandard); `-` is standard input.
  public func batches(in path: String) -> RecordBatches { RecordBatches(self, path: path) }

  /// A parser for one document whose bytes are pushed into it, for example from a network.
  ///
  /// - Parameters:
  ///   - name: the name of the document in errors.
  ///   - body: receives a batch, on the thread that pushes; throws a `JSONError` to stop.
  public func push(
    named name: String, _ body: @escaping (RecordBatch) throws(JSONError) -> Void
  ) -> PayloadPush {
    let consumer = consumer(of: body)
    return PayloadPush(RecordReader(consumer: consumer, file: name, options: options), consumer)
  }

  /// A consumer that passes the records on in batches.
  func consumer<Failure>(
    of body: @escaping (RecordBatch) throws(Failure) -> Void
  ) -> PayloadConsumer<BatchSink<Failure>> {
    PayloadConsumer(catalog: catalog, schema: schema, dates: dates, sink: BatchSink(body))
  }
}

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
