import JSONStream
import Threading

/// An ingest whose bytes come from asynchronous code, such as the body of a response: it runs on a
/// thread of its own, which the one who feeds it never blocks.
///
/// At most about a megabyte waits to be taken, so memory is that of an ingest whatever the size of
/// the body. Nothing is published before ``finish(_:)`` has been called, so a body that ends too
/// early changes nothing, even where what has come of it is a whole document. Used by one task at a
/// time, but for ``cancel()``.
public final class BodyIngest: Sendable {
  /// Bytes that may wait, beside the piece that made them more.
  private static let limit = 1 << 20

  private struct State {
    var pieces: [[UInt8]] = []
    var waitingBytes = 0
    var hasEnded = false
    var details = IngestDetails()
    var isCancelled = false
    var outcome: Result<IngestReport, IngestError>?
    /// The task that waits for room, or for the outcome.
    var waiter: CheckedContinuation<Void, Never>?

    mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
      defer { waiter = nil }
      return waiter
    }
  }

  private let state: Monitor<State>
  private let thread: WorkerThread?

  init(
    _ database: FeedDatabase, origin: String, _ options: IngestOptions,
    _ progress: @escaping @Sendable (IngestProgress) -> Void
  ) {
    let state = Monitor(State())
    self.state = state
    thread = WorkerThread { Self.run(database, origin, options, state, progress) }
    if thread == nil {
      let error = StoreError(.ioError, "no thread could be started for an ingest")
      state.withLock { state in state.outcome = .failure(IngestError(error)) }
    }
  }

  deinit {
    cancel()
    thread?.detach()
  }

  /// Takes the next bytes of the body; suspends while too many wait.
  ///
  /// - Throws: the first fault by its place in the document, or what the store refused, once it
  ///   is known; of kind `cancelled` where the task or the ingest was cancelled.
  public func feed(_ bytes: [UInt8]) async throws(IngestError) {
    await wait { state in
      state.outcome != nil || state.isCancelled || state.waitingBytes < Self.limit
    }
    try state.withLock { state throws(IngestError) in
      if let outcome = state.outcome { _ = try outcome.get() }
      if state.isCancelled { throw Self.cancelled }
      state.pieces.append(bytes)
      state.waitingBytes += bytes.count
    }
  }

  /// Says that the body is whole, and publishes it.
  ///
  /// - Parameter details: what is known of the payload only now.
  /// - Returns: what was done, once it is safe from a power cut.
  /// - Throws: as ``feed(_:)``. Nothing has been published then.
  @discardableResult
  public func finish(
    _ details: IngestDetails = IngestDetails()
  ) async throws(IngestError) -> IngestReport {
    state.withLock { state in
      state.details = details
      state.hasEnded = true
    }
    await wait { state in state.outcome != nil }
    guard let outcome = state.withLock({ $0.outcome }) else { throw Self.cancelled }
    return try outcome.get()
  }

  /// Gives the ingest up. What is being published at this moment may be published all the same.
  public func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      return state.takeWaiter()
    }
    waiter?.resume()
  }

  /// Gives the ingest up, and returns when nothing of it is left.
  public func abandon() async {
    cancel()
    await wait { state in state.outcome != nil }
  }

  private static var cancelled: IngestError {
    IngestError(StoreError(.cancelled, "the ingest was cancelled; nothing was published"))
  }

  /// Suspends until `isDue`, which is asked under the lock. A task that is cancelled meanwhile
  /// cancels the ingest and goes on waiting: what becomes of it is known at once.
  private func wait(until isDue: @escaping @Sendable (State) -> Bool) async {
    while !state.withLock({ isDue($0) }) {
      await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          // What has changed meanwhile is not waited for.
          let isOver = state.withLock { state in
            guard !isDue(state) else { return true }
            state.waiter = continuation
            return false
          }
          if isOver { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  private static func run(
    _ database: FeedDatabase, _ origin: String, _ options: IngestOptions, _ state: Monitor<State>,
    _ progress: (IngestProgress) -> Void
  ) {
    let push = database.push(
      from: origin, options: options, isCancelled: { state.withLock { $0.isCancelled } })
    var outcome: Result<IngestReport, IngestError>?
    while outcome == nil {
      do throws(IngestError) {
        if let details = try take(state, into: push) {
          outcome = .success(try push.finish(details))
        }
        let bytes = push.byteCount
        let done = IngestProgress(bytes: bytes, fileBytes: bytes, records: push.recordCount)
        FeedLock.duringCallback { progress(done) }
      } catch {
        // Whoever is told of it may begin again at once.
        push.cancel()
        outcome = .failure(error)
      }
    }
    let result = outcome
    let waiter = state.withLock { state in
      state.outcome = result
      state.pieces = []
      return state.takeWaiter()
    }
    waiter?.resume()
  }

  /// Feeds what has come; at the end of the body gives what is known of it.
  private static func take(
    _ state: Monitor<State>, into push: IngestPush
  ) throws(IngestError) -> IngestDetails? {
    let news = state.wait { (state: inout State) -> State? in
      guard !state.pieces.isEmpty || state.hasEnded || state.isCancelled else { return nil }
      let news = state
      state.pieces = []
      state.waitingBytes = 0
      // Whoever waits for the outcome goes on waiting.
      if !state.hasEnded { state.waiter = nil }
      return news
    }
    if !news.hasEnded { news.waiter?.resume() }
    if news.isCancelled { throw cancelled }
    for piece in news.pieces { try push.feed(piece.span.bytes) }
    return news.hasEnded ? news.details : nil
  }
}

extension FeedDatabase {
  /// Begins an ingest that asynchronous code feeds.
  ///
  /// - Parameters:
  ///   - origin: what errors and the feed's description call it, such as its URL.
  ///   - options: what to do with it.
  ///   - progress: learns on the ingest's thread how far it has come.
  public func bodyIngest(
    from origin: String, options: IngestOptions = IngestOptions(),
    progress: @escaping @Sendable (IngestProgress) -> Void = { _ in }
  ) -> BodyIngest {
    BodyIngest(self, origin: origin, options, progress)
  }

  /// Ingests a body to its end and publishes it whole, or changes nothing: where the sequence
  /// throws, so does this, and what has come is dropped.
  public func ingest<Body: AsyncSequence>(
    _ body: Body, from origin: String, options: IngestOptions = IngestOptions()
  ) async throws -> IngestReport where Body.Element == [UInt8] {
    let ingest = bodyIngest(from: origin, options: options)
    do {
      for try await bytes in body { try await ingest.feed(bytes) }
      // A sequence may end early, and without an error, where the task was cancelled.
      try Task.checkCancellation()
      return try await ingest.finish()
    } catch {
      await ingest.abandon()
      throw error
    }
  }
}
