package import FeedPayloads
package import FeedStorage
import Synchronization

/// The stores that a server reads. The next request sees what another process publishes.
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

  /// A feed's current generation; nil if there is no feed with this name.
  ///
  /// - Throws: `invalidKind` for a feed whose contract is not in the catalog; errors of reading
  ///   the store.
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
  /// - Throws: if the store or its images were replaced, moved away, or could not be reopened. The
  ///   server then has to open the store from scratch.
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

  /// The store of images; nil if it does not exist.
  package func images() throws(StoreError) -> ImageStore? {
    do throws(StoreError) {
      return try images(ImageStore.Options(createsMissing: false))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// The store of images, created if it does not exist.
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
