package import FeedStorage
import Synchronization
import Threading

/// The stores that a server reads. The next request sees what another process publishes.
package final class ServedStore: Sendable {
  /// The feeds.
  package let database: FeedDatabase
  private let openImages = Mutex<ImageStore?>(nil)
  /// Each comparison with a shared store blocks a thread.
  private let imageComparisons = AsyncSemaphore(16)
  /// The feeds of the last requests. They share one lease and one object.
  private let recent = Mutex<[FeedName: Feed]>([:])

  /// Copies the feeds that this host lacks.
  let copies: FeedCopies

  package init(_ database: FeedDatabase) {
    self.database = database
    copies = FeedCopies(database)
  }

  /// A feed's current generation; nil if there is no feed with this name.
  ///
  /// - Parameter isRequest: whether a client asks for the feed.
  /// - Throws: errors of reading the store.
  package func feed(
    named name: FeedName, isRequest: Bool = true
  ) throws(StoreError) -> Feed? {
    if let feed = recent.withLock({ $0[name] }), try database.isCurrent(feed) {
      if isRequest { database.noteRequest(of: name) }
      return feed
    }
    let feed = try database.feed(named: name, isRequest: isRequest)
    recent.withLock { $0[name] = feed }
    return feed
  }

  /// Releases the feeds that were replaced or deleted, so that a sweep can remove them.
  package func releaseReplacedFeeds() {
    for feed in recent.withLock({ Array($0.values) }) where (try? database.isCurrent(feed)) != true
    {
      recent.withLock { recent in
        let name = feed.description.name
        if recent[name] === feed { recent[name] = nil }
      }
    }
  }

  /// Releases replaced feeds from time to time. Returns when it is cancelled.
  ///
  /// - Throws: if the store or its images were replaced, moved away, or could not be reopened. The
  ///   server then has to open the store from scratch.
  package func watch() async throws(StoreError) {
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      releaseReplacedFeeds()
      let images = openImages.withLock { $0 }
      guard database.isClosed || images?.isClosed == true else { continue }
      throw StoreError(
        .ioError,
        "another store has replaced this one, it was moved away, or it could not be reopened after a"
          + " failure; start the server again",
        path: database.directory)
    }
  }

  /// The store of images; nil if it does not exist.
  package func images() throws(StoreError) -> ImageStore? {
    do throws(StoreError) {
      return try images(ImageStore.Options(createsMissing: false))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Brings the copies of images up to date, if the store is a copy of a shared one.
  package func refreshImages(_ urls: [String]) async throws {
    guard database.isCopy else { return }
    let images = try writableImages()
    guard urls.contains(where: images.isStale) else { return try images.refresh(oneOf: urls) }
    try await imageComparisons.waitUnlessCancelled()
    defer { imageComparisons.signal() }
    try await onWorkerThread { try images.refresh(oneOf: urls) }
  }

  /// The store of images, created if it does not exist.
  package func writableImages() throws(StoreError) -> ImageStore {
    try images(ImageStore.Options())
  }

  private func images(_ options: ImageStore.Options) throws(StoreError) -> ImageStore {
    if let images = openImages.withLock({ $0 }) { return images }
    var options = options
    options.writerTimeout = database.writerTimeout
    let images = try database.openImages(options)
    // Another request may have been first. All of them share one object.
    return openImages.withLock { open in
      let shared = open ?? images
      open = shared
      return shared
    }
  }
}
