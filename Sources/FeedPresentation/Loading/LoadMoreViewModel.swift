/// The view model below the items of a feed that is loaded page by page.
public enum LoadMoreViewModel: Sendable, Hashable {
  /// There is more to load, with a button of this title.
  case ready(title: String)
  /// More is being loaded; the message states it.
  case loading(message: String)
  /// Loading more failed for this reason. It may be retried with a button of this title.
  case failed(message: String, retry: String)
  /// There is no more; the message states it.
  case end(message: String)

  /// Whether more may be requested now.
  public var canLoadMore: Bool {
    switch self {
    case .ready, .failed: true
    case .loading, .end: false
    }
  }
}

/// The view below the items of a feed.
@MainActor
public protocol LoadMoreView {
  /// Shows whether there is more, it is being loaded, or loading failed.
  func display(_ viewModel: LoadMoreViewModel)
}
