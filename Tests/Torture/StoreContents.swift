import FeedCore

/// What a store of ``KnownRecords`` holds: the batches of each feed.
struct StoreContents: Hashable, Sendable, CustomStringConvertible {
  var feeds: [String: [KnownRecords]] = [:]

  init() {}

  /// Reads everything in a store.
  init(reading database: FeedDatabase) throws {
    for feed in try database.feeds() {
      feeds[feed.name.text] = try FeedReading.all(database, feed.name)
    }
  }

  /// `name=batch+batch name=batch`, in the order of the names.
  var description: String {
    feeds.sorted { $0.key < $1.key }.map { name, batches in
      "\(name)=" + batches.map(\.description).joined(separator: "+")
    }.joined(separator: " ")
  }

  init?(_ text: some StringProtocol) {
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let batches = parts[1].split(separator: "+").map { KnownRecords($0) }
      guard !batches.contains(nil) else { return nil }
      feeds[String(parts[0])] = batches.compactMap { $0 }
    }
  }
}
