import JSONStream
import Threading

/// The thread that reads a document for an asynchronous iteration, and the queue of its batches.
final class BatchProducer: Sendable {
  /// The maximum number of waiting batches.
  private static let capacity = 2

  fileprivate struct QueueState {
    var batches: [RecordBatch] = []
    /// The result of the reading, until it has been delivered.
    var ending: Result<Void, JSONError>?
    var isStopped = false
  }

  private let state: Monitor<QueueState>
  private let thread: WorkerThread?

  init(_ parser: PayloadParser, path: String) {
    let state = Monitor(QueueState())
    self.state = state
    thread = WorkerThread { Self.produce(parser, path, state) }
    if thread == nil {
      let error = JSONError(.inputOutput, "no thread could be started to read it", file: path)
      state.withLock { state in state.ending = .failure(error) }
    }
  }

  deinit {
    stop()
    thread?.detach()
  }

  private func stop() { state.withLock { state in state.isStopped = true } }

  /// The next batch, or nil after the last. Called by one task at a time.
  func next(isolation actor: isolated (any Actor)?) async throws(JSONError) -> RecordBatch? {
    if let outcome = state.withLock({ state in state.take() }) { return try outcome.get() }
    let outcome = await withTaskCancellationHandler {
      await state.suspend { state in state.take() }
    } onCancel: {
      stop()
    }
    return try outcome.get()
  }

  private static func produce(_ parser: PayloadParser, _ path: String, _ state: Monitor<QueueState>)
  {
    var ending = Result<Void, JSONError>.success(())
    do throws(JSONError) {
      let isStopped = { state.read { state in state.isStopped } }
      let consumer = parser.consumer { (batch) throws(CancellationError) in
        guard put(batch, state) else { throw CancellationError() }
      }
      _ = try parser.read(path, into: consumer, isCancelled: isStopped)
    } catch {
      ending = .failure(error)
    }
    let result = ending
    state.withLock { state in state.ending = result }
  }

  /// Queues a batch once there is space; returns false if the iteration has stopped.
  private static func put(_ batch: RecordBatch, _ state: Monitor<QueueState>) -> Bool {
    state.wait { (state: inout QueueState) -> Bool? in
      if state.isStopped { return false }
      guard state.batches.count < capacity else { return nil }
      state.batches.append(batch)
      return true
    }
  }
}

extension BatchProducer.QueueState {
  /// The next result to deliver; nil if there is none yet.
  fileprivate mutating func take() -> Result<RecordBatch?, JSONError>? {
    if isStopped { return .failure(JSONError(.cancelled, "cancelled")) }
    if !batches.isEmpty { return .success(batches.removeFirst()) }
    guard let ending else { return nil }
    // Every call after the end returns nil.
    self.ending = .success(())
    return ending.map { nil }
  }
}
