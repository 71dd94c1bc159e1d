public import FeedPayloads
@_spi(Ingest) import FeedRecord
public import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedDatabase {
  /// Reads payload files into one feed and publishes it whole, or changes nothing.
  ///
  /// The documents are streamed: memory does not grow with them. All of them become one
  /// generation, which readers see at once when it is published; until then they see the old one.
  ///
  /// - Parameters:
  ///   - paths: files in the order in which their records are to stand; `-` is standard input.
  ///   - options: what to do with them.
  ///   - isCancelled: asked about once a megabyte; true stops and leaves nothing behind.
  ///   - onReject: learns of each record passed over, with its text.
  ///   - progress: called about once a megabyte.
  /// - Returns: what was done, once it is safe from a power cut.
  /// - Throws: ``IngestError``. Nothing has been published then.
  public func ingest(
    _ paths: [String], options: IngestOptions = IngestOptions(),
    isCancelled: @escaping () -> Bool = { false },
    onReject: (JSONError, RawSpan) -> Void = { _, _ in },
    progress: (IngestProgress) -> Void = { _ in }
  ) throws(IngestError) -> IngestReport {
    try withoutActuallyEscaping(onReject) { (onReject) throws(IngestError) in
      let ingest = Ingest(self, options, isCancelled: isCancelled, onReject: onReject)
      return try ingest.run(paths, progress: progress)
    }
  }

  /// Proves a payload file and stores nothing.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input.
  ///   - schema: the contract its records must follow; by default the one of the catalog that
  ///     the first record fits.
  ///   - catalog: the contracts to choose from.
  ///   - limits: what the document may ask for.
  /// - Throws: the first error by its place in the file.
  public static func check(
    _ path: String, schema: PayloadSchema? = nil, catalog: PayloadCatalog = .standard,
    limits: JSONLimits = JSONLimits(), progress: (Int) throws(JSONError) -> Void = { _ in }
  ) throws(JSONError) -> (kind: String, records: Int) {
    let sink = CountingSink()
    let consumer = PayloadConsumer(catalog: catalog, schema: schema, sink: sink)
    let source = try InputSource(path)
    let reader = RecordReader(consumer: consumer, file: source.name, limits: limits)
    try reader.read(from: source, progress: progress)
    return (consumer.schema?.name ?? "", consumer.recordCount)
  }

  /// Proves that a file is exactly one JSON text (RFC 8259), whatever it holds.
  ///
  /// - Throws: the first error by its place in the file.
  public static func checkText(
    _ path: String, limits: JSONLimits = JSONLimits(),
    progress: (Int) throws(JSONError) -> Void = { _ in }
  ) throws(JSONError) {
    let consumer = PayloadConsumer(catalog: .standard, schema: nil, sink: CountingSink())
    let source = try InputSource(path)
    let reader = RecordReader(
      consumer: consumer, file: source.name, limits: limits, framing: .none)
    try reader.read(from: source, progress: progress)
  }
}

/// Drops the records that it is given.
private final class CountingSink: PayloadSink {
  func begin(_ schema: PayloadSchema) {}
  func take(_ records: inout RecordEncoder) throws(JSONError) {}
  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}
