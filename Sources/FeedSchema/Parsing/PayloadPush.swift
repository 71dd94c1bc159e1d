public import JSONStream
import URLEscaping

/// Parses one document whose bytes are pushed into it, in chunks of any size.
///
/// Neither results nor positions depend on the chunks. Use it from one thread at a time.
public final class PayloadPush {
  private let reader: RecordReader
  private let consumer: PayloadConsumer<BatchSink<JSONError>>
  // Nothing is read after an error.
  private var failure: JSONError?
  private var isFinished = false

  init(_ reader: RecordReader, _ consumer: PayloadConsumer<BatchSink<JSONError>>) {
    self.reader = reader
    self.consumer = consumer
  }

  /// Adds the next bytes of the document. Complete records are delivered in batches of an efficient
  /// size.
  ///
  /// - Throws: the first fault in the document, or the error of the body; any further call throws
  ///   it again. Of kind `inputOutput` after ``finish()``.
  public func feed(_ bytes: RawSpan) throws(JSONError) {
    if isFinished, failure == nil {
      throw JSONError(.inputOutput, "the document has ended; begin another push for another one")
    }
    try run { (reader) throws(JSONError) in try reader.feed(bytes) }
  }

  /// Adds the next bytes, from an array or a slice.
  public func feed(_ bytes: some Collection<UInt8>) throws(JSONError) {
    let array = Array(bytes)
    try feed(array.span.bytes)
  }

  /// Ends the document. An incomplete document is an error.
  ///
  /// - Returns: a summary of what was read.
  /// - Throws: as ``feed(_:)-(RawSpan)``.
  @discardableResult
  public func finish() throws(JSONError) -> PayloadParser.Summary {
    if !isFinished { try run { (reader) throws(JSONError) in try reader.finish() } }
    isFinished = true
    return PayloadParser.Summary(
      schema: consumer.schema, records: consumer.recordCount, bytes: reader.byteCount,
      oddURLs: consumer.oddURLs.unusable(withBase: false))
  }

  /// The JSON text around the records, with their array left empty; nil if the document is not
  /// wrapped in an object. Complete once the document is finished.
  package var envelope: [UInt8]? { reader.envelope?.text }

  private func run(_ step: (RecordReader) throws(JSONError) -> Void) throws(JSONError) {
    if let failure { throw failure }
    do throws(JSONError) {
      try step(reader)
    } catch {
      let cause = consumer.failure ?? error
      failure = cause
      throw cause
    }
  }
}
