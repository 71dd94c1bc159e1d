public import FeedFeature
public import JSONStream

/// Reads payloads into batches of records: from a file, from standard input, or from bytes that
/// arrive from elsewhere. Memory does not grow with the document.
///
/// ```swift
/// let parser = PayloadParser()
/// try parser.forEachBatch(in: "universities.json") { batch in
///   for university in try batch.models(University.self) { print(university.name) }
/// }
/// for try await record in parser.batches(in: "universities.json").records { … }
/// ```
public struct PayloadParser: Sendable {
  /// The payload contract; by default the one of the catalog that the first record fits.
  public var schema: PayloadSchema?
  /// The contracts to choose from.
  public var catalog = PayloadCatalog.standard
  /// What becomes of a date that is not of the contract's form; by default the payload is refused.
  public var dates = CachePolicy.Dates.strict
  /// How a document is read: limits, lanes, and what to do where JSON leaves a choice.
  public var options = JSONOptions()

  /// A strict parser with a lane for each processor.
  ///
  /// - Parameter schema: the contract; nil to find it out from the first record.
  public init(schema: PayloadSchema? = nil) { self.schema = schema }

  /// What reading a document has come to.
  public struct Summary: Sendable, Hashable {
    /// The contract of the records; nil only where nothing was read.
    public var schema: PayloadSchema?
    /// Records handed over.
    public var records = 0
    /// Bytes of the document, decompressed.
    public var bytes = 0
  }

  /// Calls `body` with each batch of a document, in order, on this thread. While it runs the lanes
  /// go on, as far as a few batches ahead.
  ///
  /// All records before a fault are handed over before it is thrown: a document that ends in an
  /// error has been seen in part, and whoever must not act on half of it waits for the return.
  ///
  /// - Parameters:
  ///   - path: a file, plain or compressed (gzip, Zstandard); `-` is standard input.
  ///   - body: takes a batch; throws whatever it likes to stop.
  /// - Throws: a `JSONError`, which is the first fault by its place in the document, or of kind
  ///   `cancelled` once the task that calls it is; and what `body` throws.
  @discardableResult
  public func forEachBatch(
    in path: String, _ body: (RecordBatch) throws -> Void
  ) throws -> Summary {
    try withoutActuallyEscaping(body) { body in
      var stop: (any Error)?
      do throws(JSONError) {
        return try read(path, isCancelled: { Task.isCancelled }) { (batch) throws(JSONError) in
          do {
            try body(batch)
          } catch {
            stop = error
            throw JSONError(.cancelled, "stopped by the caller", file: path)
          }
        }
      } catch {
        throw stop ?? error
      }
    }
  }

  /// - Parameter isCancelled: asked once a chunk, and about every 50 ms while nothing comes.
  func read(
    _ path: String, isCancelled: () -> Bool,
    _ body: @escaping (RecordBatch) throws(JSONError) -> Void
  ) throws(JSONError) -> Summary {
    let source = try InputSource(path)
    let sink = BatchSink(body)
    let reader = makeReader(sink, file: source.name)
    try reader.read(from: source) { (_) throws(JSONError) in
      if isCancelled() { throw JSONError(.cancelled, "cancelled", file: source.name) }
    }
    return Summary(schema: sink.schema, records: sink.recordCount, bytes: reader.byteCount)
  }

  /// The batches of a document as an asynchronous sequence, which may be iterated once or often;
  /// each iteration reads the document anew, on a thread of its own.
  ///
  /// - Parameter path: a file, plain or compressed (gzip, Zstandard); `-` is standard input.
  public func batches(in path: String) -> RecordBatches { RecordBatches(self, path: path) }

  /// A parser for one document whose bytes are pushed into it, as a network delivers them.
  ///
  /// - Parameters:
  ///   - name: what errors call the document.
  ///   - body: takes a batch, on the thread that pushes; throws a `JSONError` to stop.
  public func push(
    named name: String, _ body: @escaping (RecordBatch) throws(JSONError) -> Void
  ) -> PayloadPush {
    let sink = BatchSink(body)
    return PayloadPush(makeReader(sink, file: name), sink)
  }

  private func makeReader(_ sink: BatchSink, file: String) -> RecordReader {
    let consumer = PayloadConsumer(
      catalog: catalog, schema: schema, dates: dates, sink: sink)
    return RecordReader(consumer: consumer, file: file, options: options)
  }
}
