#if Remote
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1
  import Threading

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
      var fields: FeedHTTPFields
    }

    fileprivate struct Part: Sendable {
      var bytes: ByteBuffer
      /// Completed when the part has been taken; nil if no part follows.
      var taken: EventLoopPromise<Void>?
    }

    fileprivate struct State {
      /// Set until the request has ended.
      var task: HTTPClient.Task<Void>?
      var head: Head?
      var part: Part?
      /// Parts that arrived earlier are returned first, unless the request was cancelled.
      var ending: Result<Void, any Error>?
      var isSent = false
      /// Whether a task waits, and the timer that ends its wait.
      var isAwaited = false
      var idleTimer: Scheduled<Void>?
      /// The bytes of the body since its pace was last measured, and the time for which they were
      /// awaited.
      var paceBytes = 0
      var awaitedTime = Duration.zero
    }

    fileprivate let state = Monitor(State())
    private let timeouts: HTTPTimeouts
    private let elapsed: Duration

    /// - Parameter elapsed: time that earlier redirects have used of the limit for the whole.
    init(_ timeouts: HTTPTimeouts, after elapsed: Duration) {
      self.timeouts = timeouts
      self.elapsed = elapsed
    }

    func start(
      _ client: HTTPClient, _ request: HTTPClient.Request
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

    /// Whether the request has been sent.
    var isSent: Bool { state.read { $0.isSent } }

    /// The head of the response.
    func head() async throws -> Head {
      try await wait { state in
        if let head = state.head { return .success(head) }
        return state.failure.map { .failure($0) }
      }
    }

    /// The next part of the body, or nil at its end.
    func nextChunk() async throws -> [UInt8]? {
      let began = ContinuousClock.now
      let part: Part? = try await wait { state in
        if let part = state.part.take() { return .success(part) }
        return state.ending.map { ending in ending.map { nil } }
      }
      if let part { try measurePace(part.bytes.readableBytes, after: .now - began) }
      part?.taken?.succeed()
      return part.map { part in Array(part.bytes.readableBytesView) }
    }

    /// Ends the request if its body comes too slowly. Time that the reader takes does not count.
    private func measurePace(_ count: Int, after awaited: Duration) throws(TransportError) {
      guard let minimum = timeouts.minimumBytesPerSecond else { return }
      let isKept = state.withLock { state in
        state.paceBytes += count
        state.awaitedTime += awaited
        guard state.awaitedTime >= timeouts.paceInterval else { return true }
        defer { (state.paceBytes, state.awaitedTime) = (0, .zero) }
        return Double(state.paceBytes) >= Double(minimum) * (state.awaitedTime / .seconds(1))
      }
      guard !isKept else { return }
      let error = TransportError(
        .timeout,
        "less than \(minimum) bytes a second came for \(timeouts.paceInterval)")
      end(.failure(error))
      throw error
    }

    /// Cancels the request if it has not ended. A waiting task receives a `CancellationError`.
    func giveUp() { end(.failure(CancellationError())) }

    private func end(_ result: Result<Void, any Error>) {
      let old: State? = state.withLock { state in
        guard state.ending == nil else { return nil }
        let old = state
        state.ending = result
        state.task = nil
        state.isAwaited = false
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
    }

    /// Suspends the task until `body` returns a result; it must do so once the request has ended.
    /// If the task is cancelled meanwhile, so is the request.
    private func wait<R: Sendable>(
      until body: (inout State) -> Result<R, any Error>?
    ) async throws -> R {
      if let result = state.withLock(body) { return try result.get() }
      let result = await withTaskCancellationHandler {
        await state.suspend { state in
          let result = body(&state)
          state.isAwaited = result == nil
          if state.isAwaited, state.isSent, state.idleTimer == nil { startIdleTimer(&state) }
          return result
        }
      } onCancel: {
        giveUp()
      }
      return try result.get()
    }

    private func startIdleTimer(_ state: inout State) {
      let limit = timeouts.idle
      state.idleTimer = state.task?.eventLoop.scheduleTask(in: TimeAmount(limit)) {
        self.end(.failure(TransportError(.timeout, "nothing came for \(limit)")))
      }
    }

    /// Changes the state, which resumes the waiting task.
    private func update(_ change: (inout State) -> Void) {
      let timer = state.withLock { state in
        change(&state)
        state.isAwaited = false
        return state.idleTimer.take()
      }
      timer?.cancel()
    }
  }

  extension ResponseFetch: HTTPClientResponseDelegate {
    func didSendRequest(task: HTTPClient.Task<Void>) {
      // Until now the connect timeout applied.
      state.withLock { state in
        state.isSent = true
        if state.isAwaited, state.idleTimer == nil { startIdleTimer(&state) }
      }
    }

    func didReceiveHead(
      task: HTTPClient.Task<Void>, _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
      var fields = FeedHTTPFields()
      for (name, value) in head.headers { fields.add(name, value) }
      update { state in
        state.head = Head(status: Int(head.status.code), fields: fields)
      }
      return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
      task: HTTPClient.Task<Void>, _ buffer: ByteBuffer
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

    func didFinishRequest(task: HTTPClient.Task<Void>) {}
  }

  extension ResponseFetch.State {
    fileprivate var failure: (any Error)? {
      if case .failure(let error) = ending { error } else { nil }
    }
  }
#endif
