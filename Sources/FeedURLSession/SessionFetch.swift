import FeedAPI
import Foundation
import Threading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request in progress. The session delivers chunks on its queue and a task takes them. While
/// more than a megabyte waits, the session's task is suspended.
///
/// FoundationNetworking ends the process if a task is resumed soon after its suspension
/// (`_NativeProtocol.stopLoading`). There the task is not suspended, and the chunks wait in memory.
final class SessionFetch: Sendable {
  private static let limit = 1 << 20
  #if canImport(FoundationNetworking)
    private static let canSuspend = false
  #else
    private static let canSuspend = true
  #endif

  private struct State {
    var head: HTTPURLResponse?
    var chunks: [[UInt8]] = []
    var waitingBytes = 0
    var isSuspended = false
    /// Chunks that arrived earlier are returned first, unless the request was cancelled.
    var ending: Result<Void, any Error>?
  }

  private let state = Monitor(State())
  private let task: URLSessionDataTask

  init(_ task: URLSessionDataTask) { self.task = task }

  /// The head of the response.
  func head() async throws -> HTTPURLResponse {
    try await wait { state in
      if let head = state.head { return .success(head) }
      switch state.ending {
      case .failure(let error): return .failure(error)
      case .success: return .failure(TransportError(.malformed, "the response is not HTTP"))
      case nil: return nil
      }
    }
  }

  /// The next chunk of the body, or nil at its end.
  func nextChunk() async throws -> [UInt8]? {
    let chunk: [UInt8]? = try await wait { state in
      if !state.chunks.isEmpty {
        let chunk = state.chunks.removeFirst()
        state.waitingBytes -= chunk.count
        return .success(chunk)
      }
      return state.ending.map { ending in ending.map { nil } }
    }
    let resumes = state.withLock { state in
      guard state.isSuspended, state.waitingBytes <= Self.limit / 2 else { return false }
      state.isSuspended = false
      return true
    }
    if resumes { task.resume() }
    return chunk
  }

  /// Cancels the request if it has not ended. A waiting task receives a `CancellationError`.
  func giveUp() {
    end(.failure(CancellationError()))
    task.cancel()
  }

  private func end(_ result: Result<Void, any Error>) {
    state.withLock { state in
      guard state.ending == nil else { return }
      state.ending = result
      if case .failure(let error) = result, error is CancellationError {
        (state.head, state.chunks) = (nil, [])
      }
    }
  }

  private func wait<R: Sendable>(
    until body: (inout State) -> Result<R, any Error>?
  ) async throws -> R {
    try await withTaskCancellationHandler {
      await state.suspend(until: body)
    } onCancel: {
      giveUp()
    }.get()
  }

  func receive(_ response: HTTPURLResponse) {
    state.withLock { $0.head = $0.head ?? response }
  }

  func receive(_ data: Data) {
    guard !data.isEmpty else { return }
    let suspends = state.withLock { state in
      guard state.ending == nil else { return false }
      state.chunks.append(Array(data))
      state.waitingBytes += data.count
      guard Self.canSuspend, !state.isSuspended, state.waitingBytes > Self.limit else {
        return false
      }
      state.isSuspended = true
      return true
    }
    if suspends { task.suspend() }
  }

  /// - Parameter error: nil if the response is complete.
  func complete(_ error: (any Error)?) {
    end(error.map { .failure(TransportError(session: $0)) } ?? .success(()))
  }
}

extension TransportError {
  /// Translates an error of a session.
  init(session error: any Error) {
    guard let error = error as? URLError else {
      self.init(.other, "\(error)")
      return
    }
    let kind: Kind =
      switch error.code {
      case .timedOut: .timeout
      case .cannotFindHost, .cannotConnectToHost, .notConnectedToInternet, .dnsLookupFailed,
        .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
        .connection
      case .networkConnectionLost: .closed
      case .badURL, .unsupportedURL: .request
      case .badServerResponse, .cannotParseResponse: .malformed
      default: .other
      }
    self.init(kind, error.localizedDescription)
  }
}
