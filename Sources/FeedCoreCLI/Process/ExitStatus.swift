/// The exit status of the program, after sysexits(3).
enum ExitStatus: Int32 {
  case success = 0
  /// `get` or `detail` found no record with the key.
  case noMatch = 1
  case usage = 64
  case badData = 65
  /// There is no such input, feed or image.
  case noInput = 66
  /// The service cannot be reached, and the cache has nothing for it.
  case unavailable = 69
  /// Reading, writing or the store failed.
  case failedIO = 74
  /// Another process is changing the feed, or has changed it.
  case busy = 75
  /// After Ctrl-C: 128 and the number of SIGINT.
  case interrupted = 130
}
