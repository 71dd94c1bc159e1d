import Benchmark

/// Run with `swift package --package-path Benchmarks benchmark`, some of it with `--filter`.
///
/// The contests tell how FeedCore compares with what a program would use in its place, measured in
/// turn in one process; see ``Suite`` for sizes and results. The benchmarks that are left are of
/// FeedCore alone.
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
