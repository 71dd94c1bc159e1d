/// Turns the course of a load into what three views show: the resource, that it is being loaded,
/// and why it was not.
@MainActor
public struct LoadResourcePresenter<Resource, View: ResourceView> {
  /// Makes what the view shows of a resource; that it throws counts as a failed load.
  public typealias Mapper = (Resource) throws -> View.ViewModel

  private let resourceView: View
  private let loadingView: any ResourceLoadingView
  private let errorView: any ResourceErrorView
  private let failures: FailureTexts
  private let mapper: Mapper

  /// Makes a presenter for these views, which it holds.
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

  /// Makes a presenter for a view that shows the resource as it is.
  public init(
    resourceView: View, loadingView: any ResourceLoadingView, errorView: any ResourceErrorView,
    failures: FailureTexts
  ) where View.ViewModel == Resource {
    self.init(
      resourceView: resourceView, loadingView: loadingView, errorView: errorView,
      failures: failures, mapper: { $0 })
  }

  /// A load has begun: an older error goes, an older resource stays.
  public func didStartLoading() {
    errorView.display(.noError)
    loadingView.display(ResourceLoadingViewModel(isLoading: true))
  }

  /// The resource is there.
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

  /// The load was given up: neither the resource nor an error is shown.
  public func didCancelLoading() { didStopLoading() }

  private func didStopLoading() {
    loadingView.display(ResourceLoadingViewModel(isLoading: false))
  }
}
