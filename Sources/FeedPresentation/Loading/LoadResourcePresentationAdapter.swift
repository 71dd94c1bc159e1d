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

/// One load at a time, with events on the main actor.
@MainActor
final class ResourceLoad<Resource: Sendable> {
  /// The events of a load: it starts, then ends with exactly one of the others.
  enum Event {
    case started
    case loaded(Resource)
    case failed(any Error)
    /// Cancelled, by the caller or by the loader itself.
    case cancelled
  }

  private struct Running {
    var number: Int
    var task: Task<Void, Never>
    var onEvent: @MainActor (Event) -> Void
  }

  private var running: Running?
  private var count = 0

  var isRunning: Bool { running != nil }

  deinit { running?.task.cancel() }

  /// Starts to load. If a load is in progress, returns that one and starts nothing.
  func start(
    _ load: @escaping @concurrent @Sendable () async throws -> Resource,
    onEvent: @escaping @MainActor (Event) -> Void
  ) -> Task<Void, Never> {
    if let running { return running.task }
    count += 1
    let number = count
    let task = Task { [weak self] in
      let event: Event
      do {
        event = .loaded(try await load())
      } catch is CancellationError {
        event = .cancelled
      } catch {
        event = .failed(error)
      }
      self?.end(number, with: Task.isCancelled ? .cancelled : event)
    }
    running = Running(number: number, task: task, onEvent: onEvent)
    onEvent(.started)
    return task
  }

  /// Cancels the load in progress. This is its last event.
  func cancel() {
    guard let running else { return }
    running.task.cancel()
    end(running.number, with: .cancelled)
  }

  // A cancelled load may end while the next one runs, so each has a number.
  private func end(_ number: Int, with event: Event) {
    guard let running, running.number == number else { return }
    self.running = nil
    running.onEvent(event)
  }
}
