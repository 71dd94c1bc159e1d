public import JSONStream

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
}
