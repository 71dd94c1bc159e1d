#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is shown in the place of an image's data.
public enum FeedImageDataViewModel: Sendable, Hashable {
  /// Nothing yet: it was not asked for, or was given up.
  case waiting
  /// It is being loaded.
  case loading
  /// It is there.
  case loaded(Data)
  /// It could not be loaded, for this reason; it may be tried again, on a button of this title.
  case failed(message: String, retry: String)

  /// The image's data, once it is there.
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
