import FeedCore

/// The contents of a store of ``KnownRecords`` and ``KnownImage``s: the batches of each feed, and
/// the images by name.
struct StoreContents: Hashable, Sendable, CustomStringConvertible {
  var feeds: [String: [KnownRecords]] = [:]
  var images: [String: KnownImage] = [:]

  init() {}

  /// Reads all feeds of a store.
  init(reading database: FeedDatabase) throws {
    for feed in try database.feeds() {
      feeds[feed.name.text] = try FeedReading.all(database, feed.name)
    }
  }

  private static let image = "image/"

  /// `name=batch+batch name=batch image/name=image`, in the order of the names.
  var description: String {
    let feeds = feeds.sorted { $0.key < $1.key }.map { name, batches in
      "\(name)=" + batches.map(\.description).joined(separator: "+")
    }
    let images = images.sorted { $0.key < $1.key }.map { name, image in
      "\(Self.image)\(name)=\(image)"
    }
    return (feeds + images).joined(separator: " ")
  }

  init?(_ text: some StringProtocol) {
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      if parts[0].hasPrefix(Self.image) {
        guard let image = KnownImage(parts[1]) else { return nil }
        images[String(parts[0].dropFirst(Self.image.count))] = image
        continue
      }
      let batches = parts[1].split(separator: "+").map { KnownRecords($0) }
      guard !batches.contains(nil) else { return nil }
      feeds[String(parts[0])] = batches.compactMap { $0 }
    }
  }
}
