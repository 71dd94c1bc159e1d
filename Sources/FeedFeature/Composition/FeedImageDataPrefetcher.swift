#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads images before their use and saves them in a cache, a limited number at a time.
///
/// An image is in memory from its arrival until it is saved. At most ``maximumInFlight`` images are
/// in memory.
public struct FeedImageDataPrefetcher: Sendable {
  /// The maximum number of images that are loaded or saved at once.
  public let maximumInFlight: Int

  private let loader: any FeedImageDataLoader
  private let cache: any FeedImageDataCache
  private let isCached: @Sendable (URL) async -> Bool

  /// Makes a prefetcher.
  ///
  /// - Parameters:
  ///   - loader: loads the images.
  ///   - cache: the cache that saves the images.
  ///   - maximumInFlight: the maximum number of images at once; less than one counts as one.
  ///   - isCached: whether an image need not be loaded. By default, all images are loaded.
  public init(
    loader: some FeedImageDataLoader, cache: some FeedImageDataCache, maximumInFlight: Int = 8,
    isCached: @escaping @Sendable (URL) async -> Bool = { _ in false }
  ) {
    self.loader = loader
    self.cache = cache
    self.maximumInFlight = max(1, maximumInFlight)
    self.isCached = isCached
  }

  /// Loads and saves the images of these URLs, each once even if it is repeated.
  ///
  /// The report lists images that could not be loaded or saved. They do not affect the others.
  ///
  /// - Parameters:
  ///   - urls: the URLs of the images; read one by one as capacity becomes free.
  ///   - progress: receives a report after each image.
  /// - Throws: `CancellationError` if the task was cancelled. Images saved before stay.
  @discardableResult
  public func prefetch(
    _ urls: some Sequence<URL>, progress: (PrefetchReport) -> Void = { _ in }
  ) async throws -> PrefetchReport {
    var report = PrefetchReport()
    var seen: Set<URL> = []
    var waiting = urls.lazy.filter { seen.insert($0).inserted }.makeIterator()
    try await withThrowingTaskGroup(of: PrefetchOutcome.self) { group in
      for _ in 0..<maximumInFlight {
        guard let url = waiting.next() else { break }
        group.addTask { try await fetch(url) }
      }
      while let outcome = try await group.next() {
        report.add(outcome)
        progress(report)
        guard let url = waiting.next() else { continue }
        group.addTask { try await fetch(url) }
      }
    }
    return report
  }

  private func fetch(_ url: URL) async throws -> PrefetchOutcome {
    try Task.checkCancellation()
    if await isCached(url) { return .wasCached }
    do {
      let data = try await loader.loadImageData(from: url)
      try Task.checkCancellation()
      try await cache.save(data, for: url)
      return .fetched
    } catch {
      try Task.checkCancellation()
      return .failed(PrefetchReport.Failure(url: url, error: error))
    }
  }
}

/// The results of a prefetch.
public struct PrefetchReport: Sendable {
  /// An image that could not be prefetched.
  public struct Failure: Sendable {
    /// The URL of the image.
    public let url: URL
    /// Why it was not loaded, or not saved.
    public let error: any Error
  }

  /// The number of images that were loaded and saved.
  public private(set) var fetchedCount = 0
  /// The number of images that were already cached.
  public private(set) var cachedCount = 0
  /// Images that could not be loaded or saved, in the order of their failures.
  public private(set) var failures: [Failure] = []

  mutating func add(_ outcome: PrefetchOutcome) {
    switch outcome {
    case .fetched: fetchedCount += 1
    case .wasCached: cachedCount += 1
    case .failed(let failure): failures.append(failure)
    }
  }
}

/// The result for one image.
enum PrefetchOutcome: Sendable {
  case fetched
  case wasCached
  case failed(PrefetchReport.Failure)
}
