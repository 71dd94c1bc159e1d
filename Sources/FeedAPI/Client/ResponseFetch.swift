#if Remote
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// One request in progress. The event loop stores one part of the response at a time and a task
  /// takes it. The next part is requested from the connection when the task has taken this one.
  final class ResponseFetch: Sendable {
    struct Head: Sendable {
      var status: Int
      var fields: HTTPFields
    }

    fileprivate struct Part: Sendable {
      var bytes: ByteBuffer
      /// Completed when the part has been taken; nil if no part follows.
      var taken: EventLoopPromise<Void>?
    }

    fileprivate struct State {
      /// Set until the request has ended.
      var task: AsyncHTTPClient.HTTPClient.Task<Void>?
      var head: Head?
      var part: Part?
      /// Parts that arrived earlier are returned first, unless the request was cancelled.
      var ending: Result<Void, any Error>?
      var isSent = false
      /// The waiting task, and the timer that ends its wait.
      var waiter: CheckedContinuation<Void, Never>?
      var idleTimer: Scheduled<Void>?
    }

    fileprivate let state = Mutex(State())
    private let timeouts: HTTPTimeouts
    private let elapsed: Duration

    /// - Parameter elapsed: time that earlier redirects have used of the limit for the whole.
    init(_ timeouts: HTTPTimeouts, after elapsed: Duration) {
      self.timeouts = timeouts
      self.elapsed = elapsed
    }

    func start(
      _ client: AsyncHTTPClient.HTTPClient, _ request: AsyncHTTPClient.HTTPClient.Request
    ) {
      let task = client.execute(request: request, delegate: self)
      let wholeTimer = timeouts.whole.map { limit in
        task.eventLoop.scheduleTask(in: TimeAmount(limit - elapsed)) {
          self.end(.failure(TransportError(.timeout, "it took longer than \(limit) in all")))
        }
      }
      let isLate = state.withLock { state in
        if state.ending == nil { state.task = task }
        return state.ending != nil
      }
      if isLate { task.cancel() }
      // A delegate does not receive all failures.
      task.futureResult.whenComplete { result in
        wholeTimer?.cancel()
        self.end(result.mapError { TransportError(describing: $0) })
      }
    }

    /// The head of the response.
    func head() async throws -> Head {
      while true {
        let head = try state.withLock { state in
          if state.head == nil { try state.checkFailure() }
          return state.head
        }
        if let head { return head }
        await wait { state in state.head != nil }
      }
    }

    /// The next part of the body, or nil at its end.
    func nextChunk() async throws -> [UInt8]? {
      while true {
        let (part, isAtEnd) = try state.withLock { state in
          if state.part == nil { try state.checkFailure() }
          defer { state.part = nil }
          return (state.part, state.ending != nil)
        }
        if let part {
          part.taken?.succeed()
          return Array(part.bytes.readableBytesView)
        }
        if isAtEnd { return nil }
        await wait { state in state.part != nil }
      }
    }

    /// Cancels the request if it has not ended. A waiting task receives a `CancellationError`.
    func giveUp() { end(.failure(CancellationError())) }

    private func end(_ result: Result<Void, any Error>) {
      let old: State? = state.withLock { state in
        guard state.ending == nil else { return nil }
        let old = state
        state.ending = result
        state.task = nil
        state.waiter = nil
        state.idleTimer = nil
        if case .failure(let error) = result {
          state.part?.taken = nil
          if error is CancellationError { (state.head, state.part) = (nil, nil) }
        }
        return old
      }
      guard let old else { return }
      old.idleTimer?.cancel()
      if case .failure(let error) = result {
        old.part?.taken?.fail(error)
        old.task?.cancel()
      }
      old.waiter?.resume()
    }

    /// Returns when `isDue` may hold or the request has ended.
    private func wait(until isDue: @Sendable (borrowing State) -> Bool) async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          // Do not wait for a part that has arrived in the meantime.
          let hasNews = state.withLock { state in
            if isDue(state) || state.ending != nil { return true }
            state.waiter = continuation
            if state.isSent { startIdleTimer(&state) }
            return false
          }
          if hasNews { continuation.resume() }
        }
      } onCancel: {
        giveUp()
      }
    }

    private func startIdleTimer(_ state: inout State) {
      let limit = timeouts.idle
      state.idleTimer = state.task?.eventLoop.scheduleTask(in: TimeAmount(limit)) {
        self.end(.failure(TransportError(.timeout, "nothing came for \(limit)")))
      }
    }

    /// Changes the state and resumes the waiting task.
    private func update(_ change: (inout State) -> Void) {
      let (waiter, timer) = state.withLock { state in
        change(&state)
        defer { (state.waiter, state.idleTimer) = (nil, nil) }
        return (state.waiter, state.idleTimer)
      }
      timer?.cancel()
      waiter?.resume()
    }
  }

  extension ResponseFetch: HTTPClientResponseDelegate {
    func didSendRequest(task: AsyncHTTPClient.HTTPClient.Task<Void>) {
      // Until now the connect timeout applied.
      state.withLock { state in
        state.isSent = true
        if state.waiter != nil, state.idleTimer == nil { startIdleTimer(&state) }
      }
    }

    func didReceiveHead(
      task: AsyncHTTPClient.HTTPClient.Task<Void>, _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
      var fields = HTTPFields()
      for (name, value) in head.headers { fields.add(name, value) }
      update { state in
        state.head = Head(status: Int(head.status.code), fields: fields)
      }
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
      task: AsyncHTTPClient.HTTPClient.Task<Void>, _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
      let taken = task.eventLoop.makePromise(of: Void.self)
      var isWanted = false
      update { state in
        isWanted = state.ending == nil
        if isWanted { state.part = Part(bytes: buffer, taken: taken) }
      }
      if !isWanted { taken.fail(CancellationError()) }
      return taken.futureResult
    }

    func didFinishRequest(task: AsyncHTTPClient.HTTPClient.Task<Void>) {}
  }

  extension ResponseFetch.State {
    fileprivate func checkFailure() throws {
      if case .failure(let error) = ending { throw error }
    }
  }
#endif
