#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the bytes of images from a store and saves them there (Essential App and EssentialNews,
/// "Load Feed Image Data From Cache Use Case" and "Cache Feed Image Data Use Case").
public struct LocalFeedImageDataLoader: FeedImageDataLoader, FeedImageDataCache {
  /// Why an image was not loaded.
  public enum LoadError: Error, CustomStringConvertible {
    /// The store failed with this error.
    case failed(any Error)
    /// The store has no image for this URL.
    case notFound

    public var description: String {
      switch self {
      case .failed(let cause): "The image could not be read from the cache: \(cause)"
      case .notFound: "The image is not cached: load it while its service can be reached."
      }
    }
  }

  /// Why an image was not saved.
  public enum SaveError: Error, CustomStringConvertible {
    /// The store failed with this error.
    case failed(any Error)

    public var description: String {
      switch self {
      case .failed(let cause): "The image could not be cached: \(cause)"
      }
    }
  }

  private let store: any FeedImageDataStore

  /// Makes a loader.
  public init(store: some FeedImageDataStore) { self.store = store }

  /// The cached bytes of the image at this URL.
  ///
  /// - Throws: ``LoadError``; `CancellationError` instead of it or of the bytes if the task was
  ///   cancelled (cancel course).
  public func loadImageData(from url: URL) async throws -> Data {
    let data: Data?
    do {
      data = try await store.retrieve(dataForURL: url)
    } catch {
      try Task.checkCancellation()
      throw LoadError.failed(error)
    }
    try Task.checkCancellation()
    guard let data else { throw LoadError.notFound }
    return data
  }

  /// Saves the bytes of the image at this URL, replacing earlier ones.
  ///
  /// - Throws: ``SaveError``.
  public func save(_ data: Data, for url: URL) async throws {
    do {
      try await store.insert(data, for: url)
    } catch {
      throw SaveError.failed(error)
    }
  }
}
