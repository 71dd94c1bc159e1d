#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
