#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What became of the images that were to be prefetched.
public struct PrefetchReport: Sendable {
  /// An image that is not in the cache.
  public struct Failure: Sendable {
    /// Where the image is.
    public let url: URL
    /// Why it was not loaded, or not saved.
    public let error: any Error
  }

  /// Images that were loaded and saved.
  public private(set) var fetchedCount = 0
  /// Images that were cached already.
  public private(set) var cachedCount = 0
  /// Images that could not be loaded or saved, in the order in which that became known.
  public private(set) var failures: [Failure] = []

  mutating func add(_ outcome: PrefetchOutcome) {
    switch outcome {
    case .fetched: fetchedCount += 1
    case .wasCached: cachedCount += 1
    case .failed(let failure): failures.append(failure)
    }
  }
}

/// What became of one image.
enum PrefetchOutcome: Sendable {
  case fetched
  case wasCached
  case failed(PrefetchReport.Failure)
}
