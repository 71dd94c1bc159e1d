/// Presents a load in three views: the resource, the loading state, and the error.
@MainActor
public struct LoadResourcePresenter<Resource, View: ResourceView> {
  /// Converts a resource to a view model; if it throws, the load has failed.
  public typealias Mapper = (Resource) throws -> View.ViewModel

  private let resourceView: View
  private let loadingView: any ResourceLoadingView
  private let errorView: any ResourceErrorView
  private let failures: FailureTexts
  private let mapper: Mapper

  /// Makes a presenter for these views, which it retains.
  public init(
    resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
    failures: FailureTexts, mapper: @escaping Mapper
  ) {
    self.resourceView = resourceView
    self.loadingView = loadingView
    self.errorView = errorView
    self.failures = failures
    self.mapper = mapper
  }

  /// Makes a presenter for a view that shows the resource itself.
  public init(
    resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
    failures: FailureTexts
  ) where View.ViewModel == Resource {
    self.init(
      resourceView: resourceView, loadingView: loadingView, errorView: errorView,
      failures: failures, mapper: { $0 })
  }

  /// A load has started: an old error is removed, an old resource stays.
  public func didStartLoading() {
    errorView.display(.noError)
    loadingView.display(ResourceLoadingViewModel(isLoading: true))
  }

  /// The resource was loaded.
  public func didFinishLoading(with resource: Resource) {
    do {
      resourceView.display(try mapper(resource))
      didStopLoading()
    } catch {
      didFinishLoading(with: error)
    }
  }

  /// The resource could not be loaded.
  public func didFinishLoading(with error: any Error) {
    errorView.display(ResourceErrorViewModel(message: failures.message(for: error)))
    didStopLoading()
  }

  /// The load was cancelled: neither the resource nor an error is shown.
  public func didCancelLoading() { didStopLoading() }

  private func didStopLoading() {
    loadingView.display(ResourceLoadingViewModel(isLoading: false))
  }
}

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
