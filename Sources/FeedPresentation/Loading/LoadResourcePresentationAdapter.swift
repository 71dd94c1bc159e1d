/// Loads a resource when it is asked to, and has a presenter show what becomes of it.
///
/// The load runs off the main actor. Nothing is shown of one that was given up, neither the resource
/// nor an error (all documents, "Cancel course"); one whose adapter is no longer held is given up.
@MainActor
public final class LoadResourcePresentationAdapter<Resource: Sendable, View: ResourceView> {
  private let loader: @concurrent @Sendable () async throws -> Resource
  private let presenter: LoadResourcePresenter<Resource, View>
  private let load = ResourceLoad<Resource>()

  /// Makes an adapter.
  ///
  /// - Parameters:
  ///   - presenter: what shows the course of each load.
  ///   - loader: loads the resource.
  public init(
    presenter: LoadResourcePresenter<Resource, View>,
    loader: @escaping @concurrent @Sendable () async throws -> Resource
  ) {
    self.presenter = presenter
    self.loader = loader
  }

  /// Whether a load is under way.
  public var isLoading: Bool { load.isRunning }

  /// Begins to load. While a load is under way this does nothing, and no second request is made.
  ///
  /// - Returns: the load under way, for those who wait for its end or give it up by it.
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

  /// Gives the load up, if one is under way; another may be begun at once.
  public func cancel() { load.cancel() }
}
