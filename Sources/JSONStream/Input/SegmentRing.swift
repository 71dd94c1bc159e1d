import Threading

/// A bounded number of segments that circulate between the thread that fills them and the
/// consumer. The faster side sleeps; neither spins.
final class SegmentRing: Sendable {
  private enum Ending {
    case end(bytesTaken: Int)
    case failure(JSONError)
  }

  private struct RingState {
    /// Empty segments. The least recently used one is filled next: the cache lines of the last one
    /// are still in the cache of the consumer's processor.
    var empty: [InputSegment] = []
    var filled: [InputSegment] = []
    /// How many more segments may be allocated.
    var unallocated: Int
    var ending: Ending?
    var isStopped = false
    var bytesTaken = 0
    /// True while the reading thread sleeps, or is about to.
    var isReaderWaiting = false

    /// True if the reading thread sleeps and has enough work to be woken.
    var shouldWakeReader: Bool {
      isReaderWaiting && filled.count <= SegmentRing.resumeLimit && hasEmptySegment
    }

    var hasEmptySegment: Bool { !empty.isEmpty || unallocated > 0 }
  }

  /// Filled segments that wait for the consumer. More would only fill memory earlier.
  private static let waitingLimit = 4
  /// The reading thread is woken at this count of waiting segments. Waking it for each segment
  /// takes 4 % of a lane's time.
  private static let resumeLimit = 1
  /// How long a consumer waits before it can check for cancellation.
  private static let timeout = Duration.milliseconds(50)

  private let state: Monitor<RingState>
  private let slack: Int
  private let capacity: Int

  init(slack: Int, capacity: Int, limit: Int) {
    self.slack = slack
    self.capacity = capacity
    state = Monitor(RingState(unallocated: limit))
  }

  /// Waits for a segment to fill; nil if reading was stopped.
  func emptySegment() -> InputSegment? {
    state.wait { state -> InputSegment?? in
      if state.isStopped { return .some(nil) }
      let waitingLimit = state.isReaderWaiting ? Self.resumeLimit + 1 : Self.waitingLimit
      state.isReaderWaiting = true
      guard state.filled.count < waitingLimit else { return nil }
      guard state.hasEmptySegment else { return nil }
      state.isReaderWaiting = false
      if !state.empty.isEmpty { return state.empty.removeFirst() }
      state.unallocated -= 1
      return InputSegment(slack: slack, capacity: capacity)
    }
  }

  func put(_ segment: InputSegment) {
    state.withLock { state in state.filled.append(segment) }
  }

  /// Ends the input.
  ///
  /// - Parameter bytesTaken: all bytes of the file, including those after its content.
  func end(bytesTaken: Int) {
    state.withLock { state in state.ending = .end(bytesTaken: bytesTaken) }
  }

  /// Ends the input with an error.
  func fail(_ error: JSONError) {
    state.withLock { state in state.ending = .failure(error) }
  }

  /// Returns the next segment. Each call after the last one throws the failure, if there is one.
  func next() throws(JSONError) -> ReadAhead.Arrival {
    let arrival = try state.wait(atMost: Self.timeout, wakingIf: \.shouldWakeReader) {
      (state: inout RingState) throws(JSONError) -> ReadAhead.Arrival? in
      if !state.filled.isEmpty {
        let segment = state.filled.removeFirst()
        state.bytesTaken = segment.bytesTaken
        return .segment(segment)
      }
      switch state.ending {
      case .failure(let error):
        throw error
      case .end(let bytesTaken):
        state.bytesTaken = bytesTaken
        return .end
      case nil: return nil
      }
    }
    return arrival ?? .nothingYet
  }

  /// True if ``next()`` would return at once.
  var isReady: Bool {
    state.read { state in !state.filled.isEmpty || state.ending != nil }
  }

  /// Bytes of the file that produced the segments returned so far.
  var bytesTaken: Int { state.read { state in state.bytesTaken } }

  func recycle(_ segment: InputSegment) {
    state.withLock(wakingIf: \.shouldWakeReader) { state in state.empty.append(segment) }
  }

  /// Stops the reading thread at its next segment.
  func stop() {
    state.withLock { state in state.isStopped = true }
  }
}
