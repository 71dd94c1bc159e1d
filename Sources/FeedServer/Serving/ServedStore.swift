package import FeedPayloads
package import FeedStorage
import Synchronization

/// The stores that a server reads. What another process publishes is seen by the next request.
package final class ServedStore: Sendable {
  /// The feeds.
  package let database: FeedDatabase
  /// The contracts by which records are written.
  package let catalog: PayloadCatalog

  private let openImages = Mutex<ImageStore?>(nil)
  private let known = Mutex<[FeedName: ServedFeed]>([:])

  package init(_ database: FeedDatabase, catalog: PayloadCatalog = .standard) {
    self.database = database
    self.catalog = catalog
  }

  /// A feed's current generation; nil where there is none of this name.
  ///
  /// - Throws: `invalidKind` for a feed of a contract that is not in the catalog; as the store's
  ///   own reads.
  package func feed(named name: FeedName) throws(StoreError) -> ServedFeed? {
    guard let description = try database.feed(named: name) else {
      known.withLock { $0[name] = nil }
      return nil
    }
    let kept = known.withLock { $0[name] }
    if let kept, kept.description.generation == description.generation,
      kept.description.referenceSeconds == description.referenceSeconds
    {
      return kept
    }
    guard let schema = catalog.schema(named: description.kind), schema.layout == description.layout
    else {
      throw StoreError(
        .invalidKind, "the feed \(name) holds \(description.kind) of a contract unknown here")
    }
    let feed = ServedFeed(description, schema)
    known.withLock { $0[name] = feed }
    return feed
  }

  /// Returns when it is cancelled.
  ///
  /// - Throws: once another store has been put in the place of this one, or of its images, or one
  ///   was moved away or could not be opened again: whoever serves has to open it as if for the first
  ///   time.
  package func watch() async throws(StoreError) {
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let images = openImages.withLock { $0 }
      guard database.isClosed || images?.isClosed == true else { continue }
      throw StoreError(
        .ioError,
        "another store was put in the place of the one that was served, or it was moved away, or"
          + " could not be opened again after a failure; start again",
        path: database.directory)
    }
  }

  /// The images beside the feeds; nil where none were ever put there.
  package func images() throws(StoreError) -> ImageStore? {
    do throws(StoreError) {
      return try images(ImageStore.Options(createsMissing: false))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// The images beside the feeds, where there were none in a new store.
  package func imagesToBeKept() throws(StoreError) -> ImageStore {
    try images(ImageStore.Options())
  }

  private func images(_ options: ImageStore.Options) throws(StoreError) -> ImageStore {
    if let images = openImages.withLock({ $0 }) { return images }
    let images = try ImageStore.open(at: database.directory, options: options)
    openImages.withLock { $0 = images }
    return images
  }
}
