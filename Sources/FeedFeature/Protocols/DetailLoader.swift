/// Loads the details of one item by its key: the comments on an image by the image's id, an article
/// by its URL, a university or character by its name.
public protocol DetailLoader<Key, Detail>: Sendable {
  /// The key that identifies an item of a feed.
  associatedtype Key: Sendable
  /// The details of an item.
  associatedtype Detail: Sendable

  /// The details of the item with this key.
  ///
  /// - Throws: why the details could not be loaded; `CancellationError` if the task was cancelled.
  func loadDetail(for key: Key) async throws -> Detail
}
