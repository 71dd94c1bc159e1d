import FeedFeature

/// The kinds of load failures that a customer can distinguish.
///
/// Offline with an empty or expired cache, the scenarios of all five documents require an error
/// message. The compositions then deliver the error of the service, so the customer reads that it
/// cannot be reached. ``emptyCache`` and ``expiredCache`` are for callers that use only a cache.
public enum LoadFailure: Error, Sendable, Hashable, CaseIterable {
  /// The service cannot be reached ("No connectivity" courses).
  case connectivity
  /// The response of the service violates the contract ("Invalid data" courses).
  case invalidData
  /// No feed was saved.
  case emptyCache
  /// The saved feed has expired.
  case expiredCache
  /// There is no such image or item.
  case notFound
  /// Anything else that the caller's own classification (``FailureTexts``) distinguishes.
  case other

  /// Classifies an error of this package's domain, or of a service that states its kind
  /// (`ServiceFailure`). Any other error is ``connectivity``: the apps have one message for a load
  /// that failed.
  public init(_ error: any Error) {
    self =
      switch error {
      case let failure as LoadFailure: failure
      case LocalFeedError.empty: .emptyCache
      case LocalFeedError.expired: .expiredCache
      case DetailError.notFound, LocalFeedImageDataLoader.LoadError.notFound: .notFound
      case let failure as any ServiceFailure:
        failure.isConnectivityFailure ? .connectivity : .invalidData
      default: .connectivity
      }
  }
}

extension FeedText {
  /// The message for a failure.
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

/// The messages for errors: an error's kind selects a text in the customer's language.
public struct FailureTexts: Sendable {
  /// The texts.
  public let text: FeedText

  private let failure: @Sendable (any Error) -> LoadFailure

  /// Makes the texts of a language.
  ///
  /// - Parameters:
  ///   - text: the texts.
  ///   - failure: classifies an error, if more kinds of errors are known than
  ///     ``LoadFailure/init(_:)`` knows.
  public init(
    _ text: FeedText,
    failure: @escaping @Sendable (any Error) -> LoadFailure = { LoadFailure($0) }
  ) {
    self.text = text
    self.failure = failure
  }

  /// The message for an error.
  public func message(for error: any Error) -> String { text.message(for: failure(error)) }
}
