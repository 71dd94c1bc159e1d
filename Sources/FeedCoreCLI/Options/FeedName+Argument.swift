import FeedCore

extension FeedName {
  /// Parses a name from the command line.
  init(argument: String) throws(Failure) {
    do throws(StoreError) {
      try self.init(argument)
    } catch {
      throw Failure(.usage, "\(argument.isEmpty ? "''" : argument): \(error)")
    }
  }

  /// Parses the name of a new feed. A name that looks like an option is rejected, though the
  /// library accepts it: each later command would need it after `--`.
  init(ofNewFeed argument: String) throws(Failure) {
    try self.init(argument: argument)
    guard !text.hasPrefix("-") else {
      throw Failure(
        .usage,
        "\(argument): the name begins with a hyphen, and commands would take it for an option;"
          + " begin it with a letter")
    }
  }
}

extension StoreOptions {
  /// A feed whose records this program can print.
  ///
  /// - Throws: exit status 64 for an invalid name or a kind that this program does not know, 66 if
  ///   the feed does not exist.
  func feed(named text: String) throws -> Feed {
    let name = try FeedName(argument: text)
    let feed = try openExisting().existingFeed(named: name)
    _ = try feed.schema
    return feed
  }
}
