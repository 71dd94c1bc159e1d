import JSONStream
import Threading

/// An ingest whose bytes come from asynchronous code, such as the body of a response. It runs on
/// its own thread and never blocks the thread that feeds it.
///
/// At most about a megabyte waits to be processed, so memory is that of an ingest, whatever the
/// size of the body. Nothing is published before ``finish(_:)`` is called. A truncated body
/// therefore changes nothing, even if its bytes form a complete document. Except for ``cancel()``,
/// use it from one task at a time.
package final class BodyIngest: Sendable {
  /// The number of bytes that may wait, plus the last chunk.
  private static let limit = 1 << 20

  private struct BodyState {
    var chunks: [[UInt8]] = []
    var waitingBytes = 0
    var hasEnded = false
    /// Set from the call that ends a document until the document has ended.
    var endsDocument = false
    var envelope: [UInt8]?
    var details = IngestDetails()
    var isCancelled = false
    var outcome: Result<IngestReport, IngestError>?
  }

  private let state: Monitor<BodyState>
  private let thread: WorkerThread?

  init(
    _ database: FeedDatabase, origin: String, _ options: IngestOptions,
    _ progress: @escaping @Sendable (IngestProgress) -> Void
  ) {
    let state = Monitor(BodyState())
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

  /// Adds the next bytes of the body; suspends while too many wait.
  ///
  /// - Throws: the first fault in the document, or an error of the store, once it is known; of kind
  ///   `cancelled` if the task or the ingest was cancelled.
  package func feed(_ bytes: [UInt8]) async throws(IngestError) {
    let outcome = await wait { state -> Result<Void, IngestError>? in
      if let outcome = state.outcome { return outcome.map { _ in () } }
      if state.isCancelled { return .failure(Self.cancelled) }
      guard state.waitingBytes < Self.limit else { return nil }
      state.chunks.append(bytes)
      state.waitingBytes += bytes.count
      return .success(())
    }
    try outcome.get()
  }

  /// Ends a document whose records go into the same generation as those of the next one, such as
  /// a page of a service.
  ///
  /// - Returns: the JSON text around its records; nil if it is not wrapped in an object.
  /// - Throws: as ``feed(_:)``.
  package func endDocument() async throws(IngestError) -> [UInt8]? {
    state.withLock { state in state.endsDocument = true }
    return try await wait { state -> Result<[UInt8]?, IngestError>? in
      if let outcome = state.outcome { return outcome.map { _ in nil } }
      return state.endsDocument ? nil : .success(state.envelope)
    }.get()
  }

  /// Ends the body and publishes it.
  ///
  /// - Parameter details: properties of the payload that are known only now.
  /// - Returns: a report, once the result survives a power cut.
  /// - Throws: as ``feed(_:)``. Nothing has been published then, unless the message says that the
  ///   feed was published and not made durable.
  @discardableResult
  package func finish(
    _ details: IngestDetails = IngestDetails()
  ) async throws(IngestError) -> IngestReport {
    state.withLock { state in
      state.details = details
      state.hasEnded = true
    }
    return try await wait { state in state.outcome }.get()
  }

  /// Cancels the ingest. A publication that has already started may still complete.
  package func cancel() { state.withLock { state in state.isCancelled = true } }

  /// Cancels the ingest and returns when it has been cleaned up.
  package func abandon() async {
    cancel()
    _ = await wait { state in state.outcome }
  }

  private static var cancelled: IngestError {
    IngestError(StoreError(.cancelled, "the ingest was cancelled; nothing was published"))
  }

  /// Suspends until `body` returns a result; it runs under the lock. If the task is cancelled
  /// meanwhile, the ingest is cancelled and the wait continues: the outcome is known soon.
  private func wait<R: Sendable>(until body: (inout BodyState) -> R?) async -> R {
    if let result = state.withLock(body) { return result }
    return await withTaskCancellationHandler {
      await state.suspend(until: body)
    } onCancel: {
      cancel()
    }
  }

  private static func run(
    _ database: FeedDatabase, _ origin: String, _ options: IngestOptions,
    _ state: Monitor<BodyState>,
    _ progress: (IngestProgress) -> Void
  ) {
    let push = database.push(
      from: origin, options: options, isCancelled: { state.read { $0.isCancelled } })
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
        // The receiver of the error may start another ingest at once.
        push.cancel()
        outcome = .failure(error)
      }
    }
    let result = outcome
    state.withLock { state in
      state.outcome = result
      state.chunks = []
    }
  }

  /// Feeds the waiting bytes; at the end of the body returns its details.
  private static func take(
    _ state: Monitor<BodyState>, into push: IngestPush
  ) throws(IngestError) -> IngestDetails? {
    let taken = state.wait { (state: inout BodyState) -> BodyState? in
      guard
        !state.chunks.isEmpty || state.endsDocument || state.hasEnded || state.isCancelled
      else { return nil }
      let taken = state
      state.chunks = []
      state.waitingBytes = 0
      return taken
    }
    if taken.isCancelled { throw cancelled }
    for chunk in taken.chunks { try push.feed(chunk.span.bytes) }
    if taken.endsDocument {
      let envelope = try push.endDocument()
      state.withLock { state in
        state.envelope = envelope
        state.endsDocument = false
      }
    }
    return taken.hasEnded ? taken.details : nil
  }
}

extension FeedDatabase {
  /// Begins an ingest that asynchronous code feeds.
  ///
  /// - Parameters:
  ///   - origin: the name in errors and in the feed's description, such as a URL.
  ///   - options: how to ingest it.
  ///   - progress: called with the progress on the ingest's thread.
  package func bodyIngest(
    from origin: String, options: IngestOptions = IngestOptions(),
    progress: @escaping @Sendable (IngestProgress) -> Void = { _ in }
  ) -> BodyIngest {
    BodyIngest(self, origin: origin, options, progress)
  }

  /// Ingests a body to its end and publishes it, or changes nothing. If the sequence throws, the
  /// error is rethrown and the received bytes are dropped.
  public func ingest<Body: AsyncSequence>(
    _ body: Body, from origin: String, options: IngestOptions = IngestOptions()
  ) async throws -> IngestReport where Body.Element == [UInt8] {
    let ingest = bodyIngest(from: origin, options: options)
    do {
      for try await bytes in body { try await ingest.feed(bytes) }
      // A sequence may end early and without an error if the task was cancelled.
      try Task.checkCancellation()
      return try await ingest.finish()
    } catch {
      await ingest.abandon()
      throw error
    }
  }
}
