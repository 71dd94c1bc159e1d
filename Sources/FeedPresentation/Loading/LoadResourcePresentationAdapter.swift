/// Loads a resource on request and passes the result to a presenter.
///
/// The load runs off the main actor. A cancelled load shows neither the resource nor an error (all
/// documents, "Cancel course"). Releasing the adapter cancels its load.
@MainActor
public final class LoadResourcePresentationAdapter<Resource: Sendable, View: ResourceView> {
  private let loader: @concurrent @Sendable () async throws -> Resource
  private let presenter: LoadResourcePresenter<Resource, View>
  private let load = ResourceLoad<Resource>()

  /// Makes an adapter.
  ///
  /// - Parameters:
  ///   - presenter: shows the progress of each load.
  ///   - loader: loads the resource.
  public init(
    presenter: LoadResourcePresenter<Resource, View>,
    loader: @escaping @concurrent @Sendable () async throws -> Resource
  ) {
    self.presenter = presenter
    self.loader = loader
  }

  /// Whether a load is in progress.
  public var isLoading: Bool { load.isRunning }

  /// Starts to load. While a load is in progress, this does nothing and makes no second request.
  ///
  /// - Returns: the load in progress, to wait for its end or cancel it.
  @discardableResult
  public func loadResource() -> Task<Void, Never> {
    load.start(loader) { [presenter] event in
      switch event {
      case .started: presenter.didStartLoading()
      case .loaded(let resource): presenter.didFinishLoading(with: resource)
      case .failed(let error): presenter.didFinishLoading(with: error)
      case .cancelled: presenter.didCancelLoading()
      }
    }
  }

  /// Cancels the load in progress; another may be started at once.
  public func cancel() { load.cancel() }
}
