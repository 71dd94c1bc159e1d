/// What stands below the items of a feed that is loaded page by page.
public enum LoadMoreViewModel: Sendable, Hashable {
  /// There is more to load, on a button of this title.
  case ready(title: String)
  /// More is being loaded; says so.
  case loading(message: String)
  /// More could not be loaded, for this reason; it may be tried again, on a button of this title.
  case failed(message: String, retry: String)
  /// There is no more; says so.
  case end(message: String)

  /// Whether more may be asked for now.
  public var canLoadMore: Bool {
    switch self {
    case .ready, .failed: true
    case .loading, .end: false
    }
  }
}

/// Shows what stands below the items of a feed.
@MainActor
public protocol LoadMoreView {
  /// Shows whether there is more, is being loaded, or could not be.
  func display(_ viewModel: LoadMoreViewModel)
}
