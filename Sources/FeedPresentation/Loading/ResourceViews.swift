/// Shows a resource once it is loaded.
@MainActor
public protocol ResourceView<ViewModel> {
  /// The view model.
  associatedtype ViewModel

  /// Shows a resource instead of the previous one.
  func display(_ viewModel: ViewModel)
}

/// Shows whether a resource is being loaded.
@MainActor
public protocol ResourceLoadingView {
  /// Shows that a load has started or ended.
  func display(_ viewModel: ResourceLoadingViewModel)
}

/// Shows why a resource was not loaded.
@MainActor
public protocol ResourceErrorView {
  /// Shows an error, or that there is none.
  func display(_ viewModel: ResourceErrorViewModel)
}

/// Whether a resource is being loaded.
public struct ResourceLoadingViewModel: Sendable, Hashable {
  /// True from the start of a load to its end.
  public let isLoading: Bool

  /// Makes a view model.
  public init(isLoading: Bool) { self.isLoading = isLoading }
}

/// Why a resource was not loaded.
public struct ResourceErrorViewModel: Sendable, Hashable {
  /// The message for the customer; nil without a failure.
  public let message: String?

  /// Makes a view model.
  public init(message: String?) { self.message = message }

  /// Nothing failed.
  public static let noError = ResourceErrorViewModel(message: nil)
}
