import FeedSchema
public import JSONStream
import URLEscaping

/// An ingest whose bytes are pushed into it, in chunks of any size. It is published completely or
/// not at all.
///
/// Results and positions do not depend on the chunks. Use it from one thread at a time. An object
/// that is released before ``finish(_:)`` leaves nothing behind.
public final class IngestPush {
  private let origin: String
  private let ingest: Ingest
  private let consumer: PayloadConsumer<Ingest>
  private let makeReader: () -> RecordReader
  private var reader: RecordReader
  /// The documents that have ended.
  private var reading = Ingest.Reading()
  /// Whether a document has ended and the next one has not begun.
  private var isBetweenDocuments = false
  // Prevents reading after an error, and publishing twice.
  private var outcome: Result<IngestReport, IngestError>?

  init(
    _ database: FeedDatabase, origin: String, _ options: IngestOptions, _ hooks: IngestHooks
  ) {
    self.origin = origin
    ingest = Ingest(
      database, options, source: origin, isCancelled: hooks.isCancelled,
      onReject: hooks.onReject)
    let consumer = ingest.makeConsumer()
    self.consumer = consumer
    makeReader = {
      RecordReader(
        consumer: consumer, file: origin, options: options.parsing, canReadAgain: false)
    }
    reader = makeReader()
  }

  deinit { ingest.abandon() }

  /// The number of bytes read so far.
  public var byteCount: Int { reading.bytes + (isBetweenDocuments ? 0 : reader.byteCount) }
  /// The number of records mapped so far.
  public var recordCount: Int { consumer.recordCount }

  /// Adds the next bytes of the document. Waits for the writer from time to time, to bound the
  /// memory in use.
  ///
  /// - Throws: the first fault in the document, or an error of the store; any further call throws
  ///   it again.
  public func feed(_ bytes: RawSpan) throws(IngestError) {
    try run { () throws(IngestError) in
      if isBetweenDocuments {
        guard bytes.byteCount > 0 else { return }
        reader = makeReader()
        isBetweenDocuments = false
      }
      try read { () throws(JSONError) in try reader.feed(bytes) }
    }
  }

  /// Adds the next bytes, from an array or a slice.
  public func feed(_ bytes: some Collection<UInt8>) throws(IngestError) {
    let array = Array(bytes)
    try feed(array.span.bytes)
  }

  /// Ends a document whose records go into the same generation as those of the next one, such as
  /// a page of a service. An incomplete document is an error.
  ///
  /// - Returns: the JSON text around its records; nil if it is not wrapped in an object.
  /// - Throws: as ``feed(_:)-(RawSpan)``.
  package func endDocument() throws(IngestError) -> [UInt8]? {
    try run { () throws(IngestError) in try endReading() }
    return reader.envelope?.text
  }

  private func endReading() throws(IngestError) {
    guard !isBetweenDocuments else { return }
    try read { () throws(JSONError) in try reader.finish() }
    reading.add(reader, after: ingest.storedPlan)
    isBetweenDocuments = true
  }

  /// Runs a step of the reader.
  private func read(_ step: () throws(JSONError) -> Void) throws(IngestError) {
    try ingest.naming(consumer) { () throws(JSONError) in
      do throws(JSONError) { try step() } catch { throw ingest.hinting(error, reader) }
    }
  }

  /// Ends the document and publishes it. An incomplete document is an error.
  ///
  /// - Parameter details: properties of the payload that are known only now.
  /// - Returns: a report, once the result survives a power cut.
  /// - Throws: as ``feed(_:)-(RawSpan)``. Nothing has been published then, unless the
  ///   message says that the feed was published and not made durable.
  @discardableResult
  public func finish(
    _ details: IngestDetails = IngestDetails()
  ) throws(IngestError) -> IngestReport {
    if case .success(let report) = outcome { return report }
    var report: IngestReport?
    try run { () throws(IngestError) in
      try endReading()
      try ingest.finish(&reading, consumer)
      report = try ingest.finish(reading, origin: origin, details)
    }
    guard let report else { throw IngestError(Self.isOver) }
    outcome = .success(report)
    return report
  }

  /// Cancels the ingest; nothing is published.
  public func cancel() {
    guard outcome == nil else { return }
    outcome = .failure(
      IngestError(StoreError(.cancelled, "the ingest was cancelled; nothing was published")))
    ingest.abandon()
  }

  private func run(_ step: () throws(IngestError) -> Void) throws(IngestError) {
    switch outcome {
    case .failure(let error): throw error
    case .success: throw IngestError(Self.isOver)
    case nil: break
    }
    do throws(IngestError) {
      try step()
    } catch {
      outcome = .failure(error)
      ingest.abandon()
      throw error
    }
  }

  private static var isOver: StoreError {
    StoreError(.misuse, "the ingest is over; begin another one")
  }
}

/// The callbacks of an ingest.
struct IngestHooks {
  var isCancelled: () -> Bool
  var onReject: (JSONError, RawSpan) -> Void
}

extension FeedDatabase {
  /// Begins an ingest of pushed bytes: the body of a request, or generated data.
  ///
  /// - Parameters:
  ///   - origin: the name in errors and in the feed's description, such as a URL.
  ///   - options: how to ingest it.
  ///   - isCancelled: called from time to time; true stops and leaves nothing behind.
  ///   - onReject: called with each skipped record and its text.
  public func push(
    from origin: String, options: IngestOptions = IngestOptions(),
    isCancelled: @escaping () -> Bool = { false },
    onReject: @escaping (JSONError, RawSpan) -> Void = { _, _ in }
  ) -> IngestPush {
    IngestPush(
      self, origin: origin, options, IngestHooks(isCancelled: isCancelled, onReject: onReject))
  }
}
