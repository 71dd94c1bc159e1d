import Benchmark

/// Run with `swift package --package-path Benchmarks benchmark`. `--filter` selects some.
///
/// The contests compare FeedCore with its alternatives, measured in turn in one process. See
/// ``Suite`` for sizes and results. The other benchmarks measure FeedCore alone.
let benchmarks: @Sendable () -> Void = {
  ParseContests.register()
  DecodeContests.register()
  IngestContest.register()
  LookupContests.register()
  ScanContests.register()
  ImageReadContest.register()
  ImageWriteContest.register()
  AloneBenchmarks.register()
}
