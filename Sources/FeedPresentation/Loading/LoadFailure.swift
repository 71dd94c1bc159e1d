import FeedFeature

/// What a customer is told apart among all that keeps something from being loaded.
///
/// Offline, the scenarios of all five documents want an error message where the cache is empty or
/// too old; the compositions then deliver the error of the service, so that the customer reads that
/// it cannot be reached. ``emptyCache`` and ``expiredCache`` are for those who ask a cache alone.
public enum LoadFailure: Error, Sendable, Hashable, CaseIterable {
  /// The service cannot be reached ("No connectivity" courses).
  case connectivity
  /// What the service sent is not what was agreed ("Invalid data" courses).
  case invalidData
  /// Nothing was saved.
  case emptyCache
  /// What was saved is too old.
  case expiredCache
  /// There is no such image or item.
  case notFound
  /// Anything else.
  case other

  /// What an error means to a customer: one of this package's domain, or of a service that says
  /// what it is (`ServiceFailure`); anything else is ``other``.
  public init(_ error: any Error) {
    self =
      switch error {
      case let failure as LoadFailure: failure
      case LocalFeedError.empty: .emptyCache
      case LocalFeedError.expired: .expiredCache
      case DetailError.notFound, LocalFeedImageDataLoader.LoadError.notFound: .notFound
      case let failure as any ServiceFailure:
        failure.isConnectivityFailure ? .connectivity : .invalidData
      default: .other
      }
  }
}

extension FeedText {
  /// What to tell the customer of a failure.
  public func message(for failure: LoadFailure) -> String {
    switch failure {
    case .connectivity: self[.connectivityError]
    case .invalidData: self[.invalidDataError]
    case .emptyCache: self[.emptyCacheError]
    case .expiredCache: self[.expiredCacheError]
    case .notFound: self[.notFoundError]
    case .other: self[.otherError]
    }
  }
}
