import FeedCore

extension FeedDatabase {
  /// An empty private store. Many tests run at once, and the address space does not hold a map of
  /// the usual size for each.
  static func openPrivate() throws -> FeedDatabase {
    var options = Options()
    options.mapSize = 1 << 32
    return try open(at: "/dev/null", options: options)
  }
}
