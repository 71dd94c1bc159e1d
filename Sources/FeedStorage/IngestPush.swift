import FeedPayloads
public import JSONStream

/// An ingest whose bytes are pushed into it, in pieces of any size, and published whole or not at
/// all.
///
/// What is found, and where, does not depend on the pieces. Used by one thread at a time. An
/// object that goes before ``finish(_:)`` leaves nothing behind.
public final class IngestPush {
  private let origin: String
  private let ingest: Ingest
  private let consumer: PayloadConsumer
  private let reader: RecordReader
  // Nothing is to be read behind an error, nor published twice.
  private var outcome: Result<IngestReport, IngestError>?

  init(_ database: FeedDatabase, origin: String, _ options: IngestOptions, _ hooks: IngestHooks) {
    self.origin = origin
    ingest = Ingest(
      database, options, isCancelled: hooks.isCancelled, onReject: hooks.onReject)
    consumer = ingest.makeConsumer()
    reader = RecordReader(consumer: consumer, file: origin, options: options.parsing)
  }

  deinit { ingest.abandon() }

  /// Bytes taken so far.
  public var byteCount: Int { reader.byteCount }
  /// Records mapped so far.
  public var recordCount: Int { consumer.recordCount }

  /// Takes the next bytes of the document. Now and then waits for the writer, so that a bounded
  /// amount of memory is in use.
  ///
  /// - Throws: the first fault by its place in the document, or what the store refused; any
  ///   further call throws it again.
  public func feed(_ bytes: RawSpan) throws(IngestError) {
    try run { () throws(IngestError) in
      try ingest.naming(consumer) { () throws(JSONError) in try reader.feed(bytes) }
    }
  }

  /// The same for an array or a slice of one.
  public func feed(_ bytes: some Collection<UInt8>) throws(IngestError) {
    let array = Array(bytes)
    try feed(array.span.bytes)
  }

  /// Says that the document has ended, and publishes it. A document without its end is an error.
  ///
  /// - Parameter details: what is known of the payload only now.
  /// - Returns: what was done, once it is safe from a power cut.
  /// - Throws: as ``feed(_:)-(RawSpan)``. Nothing has been published then.
  @discardableResult
  public func finish(
    _ details: IngestDetails = IngestDetails()
  ) throws(IngestError) -> IngestReport {
    if case .success(let report) = outcome { return report }
    var report: IngestReport?
    try run { () throws(IngestError) in
      try ingest.naming(consumer) { () throws(JSONError) in try reader.finish() }
      var reading = Ingest.Reading()
      reading.add(reader)
      report = try ingest.finish(reading, origin: origin, details)
    }
    guard let report else { throw IngestError(Self.isOver) }
    outcome = .success(report)
    return report
  }

  /// Gives the ingest up; nothing is published.
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

/// What an ingest asks and tells its caller.
struct IngestHooks {
  var isCancelled: () -> Bool
  var onReject: (JSONError, RawSpan) -> Void
}

extension FeedDatabase {
  /// Begins an ingest of bytes that are pushed: the body of a request, or what a program makes.
  ///
  /// - Parameters:
  ///   - origin: what errors and the feed's description call it, such as its URL.
  ///   - options: what to do with it.
  ///   - isCancelled: asked now and then; true stops and leaves nothing behind.
  ///   - onReject: learns of each record passed over, with its text.
  public func push(
    from origin: String, options: IngestOptions = IngestOptions(),
    isCancelled: @escaping () -> Bool = { false },
    onReject: @escaping (JSONError, RawSpan) -> Void = { _, _ in }
  ) -> IngestPush {
    IngestPush(
      self, origin: origin, options, IngestHooks(isCancelled: isCancelled, onReject: onReject))
  }
}
