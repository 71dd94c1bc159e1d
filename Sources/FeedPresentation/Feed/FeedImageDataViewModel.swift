#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The view model of an image's data.
public enum FeedImageDataViewModel: Sendable, Hashable {
  /// Not requested yet, or cancelled.
  case waiting
  /// It is being loaded.
  case loading
  /// The loaded data.
  case loaded(Data)
  /// Loading failed for this reason. It may be retried with a button of this title.
  case failed(message: String, retry: String)

  /// The image's data, once loaded.
  public var data: Data? {
    if case .loaded(let data) = self { data } else { nil }
  }

  /// Whether it is being loaded.
  public var isLoading: Bool { self == .loading }

  /// Whether a retry is offered.
  public var canRetry: Bool {
    if case .failed = self { true } else { false }
  }
}
