import FeedPresentation
import Foundation
import Synchronization

/// Records the events of three views, in order.
@MainActor
final class ViewSpy<Content: Equatable & Sendable>: ResourceView, ResourceLoadingView,
  ResourceErrorView
{
  typealias ViewModel = Content

  enum Message: Equatable, Sendable {
    case loading(Bool)
    case error(String?)
    case resource(Content)
  }

  private(set) var messages: [Message] = []

  func display(_ viewModel: Content) { messages.append(.resource(viewModel)) }

  func display(_ viewModel: ResourceLoadingViewModel) {
    messages.append(.loading(viewModel.isLoading))
  }

  func display(_ viewModel: ResourceErrorViewModel) { messages.append(.error(viewModel.message)) }
}

/// Records the view models below the items.
@MainActor
final class LoadMoreSpy: LoadMoreView {
  private(set) var messages: [LoadMoreViewModel] = []
  func display(_ viewModel: LoadMoreViewModel) { messages.append(viewModel) }
}

/// Ends each load with a result from the test, and ignores cancellation.
final class PendingLoader<Resource: Sendable>: Sendable {
  private struct State {
    var callCount = 0
    var results: [Result<Resource, any Error>] = []
    var waiting: [CheckedContinuation<Resource, any Error>] = []
  }

  private let state = Mutex(State())

  var callCount: Int { state.withLock { $0.callCount } }

  func load() async throws -> Resource {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state -> Result<Resource, any Error>? in
        state.callCount += 1
        if !state.results.isEmpty { return state.results.removeFirst() }
        state.waiting.append(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Ends the oldest waiting load, or the next one.
  func end(with result: Result<Resource, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Resource, any Error>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.results.append(result)
      return nil
    }
    waiter?.resume(with: result)
  }
}
