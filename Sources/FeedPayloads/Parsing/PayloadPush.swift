public import JSONStream

/// Parses one document whose bytes are pushed into it, in pieces of any size.
///
/// Neither what is found nor where depends on the pieces. Used by one thread at a time.
public final class PayloadPush {
  private let reader: RecordReader
  private let sink: BatchSink
  // Nothing is to be read behind an error.
  private var failure: JSONError?
  private var isFinished = false

  init(_ reader: RecordReader, _ sink: BatchSink) {
    self.reader = reader
    self.sink = sink
  }

  /// Takes the next bytes of the document. Records are handed over as soon as so many are whole
  /// that it pays; ``flush()`` does not wait for that.
  ///
  /// - Throws: the first fault by its place in the document, or what the body threw; any further
  ///   call throws it again. Of kind `inputOutput` behind ``finish()``, as a document has one end.
  public func feed(_ bytes: RawSpan) throws(JSONError) {
    if isFinished, failure == nil {
      throw JSONError(.inputOutput, "the document has ended; begin another push for another one")
    }
    try run { (reader) throws(JSONError) in try reader.feed(bytes) }
  }

  /// The same for an array or a slice of one.
  public func feed(_ bytes: some Collection<UInt8>) throws(JSONError) {
    let array = Array(bytes)
    try feed(array.span.bytes)
  }

  /// Hands over all records that are whole: a line is at its line feed, the first one once the next
  /// value begins, which tells that the document is of lines.
  public func flush() throws(JSONError) {
    try run { (reader) throws(JSONError) in try reader.flush() }
  }

  /// Says that the document has ended. A document without its end is an error.
  ///
  /// - Returns: what was read.
  /// - Throws: as ``feed(_:)-(RawSpan)``.
  @discardableResult
  public func finish() throws(JSONError) -> PayloadParser.Summary {
    if !isFinished { try run { (reader) throws(JSONError) in try reader.finish() } }
    isFinished = true
    return PayloadParser.Summary(
      schema: sink.schema, records: sink.recordCount, bytes: reader.byteCount)
  }

  /// What stood around the records, as JSON text with their array left empty; nil for a document
  /// that is not wrapped in an object. Whole once the document is finished.
  package var envelope: [UInt8]? { reader.envelope?.text }

  private func run(_ step: (RecordReader) throws(JSONError) -> Void) throws(JSONError) {
    if let failure { throw failure }
    do throws(JSONError) {
      try step(reader)
    } catch {
      failure = error
      throw error
    }
  }
}
