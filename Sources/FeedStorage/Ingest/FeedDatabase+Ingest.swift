public import JSONStream

extension FeedDatabase {
  /// Reads payload files into one feed and publishes it, or changes nothing.
  ///
  /// The documents are streamed, so memory does not grow with them. They form one generation.
  /// Readers see the old one until the new one is published.
  ///
  /// - Parameters:
  ///   - paths: files in the order of their records; `-` is standard input.
  ///   - options: how to ingest them.
  ///   - isCancelled: called about once per megabyte; true stops and leaves nothing behind.
  ///   - onReject: called with each skipped record and its text.
  ///   - progress: called about once per megabyte.
  /// - Returns: a report, once the result survives a power cut.
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
}
