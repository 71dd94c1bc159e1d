#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads images ahead of their use and puts them in a cache, a bounded number at a time.
///
/// An image is in memory from its arrival until it is saved, and no more than
/// ``maximumInFlight`` of them are.
public struct FeedImageDataPrefetcher: Sendable {
  /// How many images may be loading or being saved at once.
  public let maximumInFlight: Int

  private let loader: any FeedImageDataLoader
  private let cache: any FeedImageDataCache
  private let isCached: @Sendable (URL) async -> Bool

  /// Makes a prefetcher.
  ///
  /// - Parameters:
  ///   - loader: what loads an image.
  ///   - cache: where it is saved.
  ///   - maximumInFlight: how many images at once; less than one counts as one.
  ///   - isCached: whether an image need not be loaded. By default, all are.
  public init(
    loader: some FeedImageDataLoader, cache: some FeedImageDataCache, maximumInFlight: Int = 8,
    isCached: @escaping @Sendable (URL) async -> Bool = { _ in false }
  ) {
    self.loader = loader
    self.cache = cache
    self.maximumInFlight = max(1, maximumInFlight)
    self.isCached = isCached
  }

  /// Loads and saves the images of these URLs, each once however often it is named.
  ///
  /// An image that cannot be loaded or saved does not keep the others from being so; the report
  /// has it.
  ///
  /// - Parameters:
  ///   - urls: where the images are; read as there is room for the next one.
  ///   - progress: is told after each image how far it has come.
  /// - Throws: `CancellationError` if the task was cancelled. What was saved until then stays.
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
