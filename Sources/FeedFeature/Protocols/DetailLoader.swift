/// Loads the details of one thing by its key: the comments on an image by the image's id, an
/// article by its URL, a university or character by its name.
public protocol DetailLoader<Key, Detail>: Sendable {
  /// What tells the thing from the others of its feed.
  associatedtype Key: Sendable
  /// What is known of it.
  associatedtype Detail: Sendable

  /// The details of the thing with this key.
  ///
  /// - Throws: what kept the details from being loaded; `CancellationError` where the task was
  ///   cancelled.
  func loadDetail(for key: Key) async throws -> Detail
}
