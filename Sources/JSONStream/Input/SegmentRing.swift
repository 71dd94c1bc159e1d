import Threading

/// A bounded number of segments on their way round between the thread that fills them and the
/// consumer. Who is ahead waits; nobody spins.
final class SegmentRing: Sendable {
  private enum Ending {
    case end(bytesTaken: Int)
    case failure(JSONError)
  }

  private struct State {
    /// Empty segments. The one used longest ago is filled next: of the last one the consumer's
    /// processor still keeps the lines.
    var empty: [InputSegment] = []
    var filled: [InputSegment] = []
    /// Segments that may be allocated further.
    var unallocated: Int
    var ending: Ending?
    var isStopped = false
    var bytesTaken = 0
    /// True while the reading thread sleeps, or is about to.
    var isReaderWaiting = false

    /// True if the reading thread sleeps and has enough to do when it is woken.
    var shouldWakeReader: Bool {
      isReaderWaiting && filled.count <= SegmentRing.resumeLimit && hasEmptySegment
    }

    var hasEmptySegment: Bool { !empty.isEmpty || unallocated > 0 }
  }

  /// Filled segments that wait for the consumer: with more, memory would only be filled earlier.
  private static let waitingLimit = 4
  /// Waiting segments at which the reading thread is woken: to wake it for each segment takes 4 %
  /// of a lane's time.
  private static let resumeLimit = 1
  /// How long a consumer waits before it may look whether it still wants to.
  private static let patience = Duration.milliseconds(50)

  private let state: Monitor<State>
  private let slack: Int
  private let capacity: Int

  init(slack: Int, capacity: Int, limit: Int) {
    self.slack = slack
    self.capacity = capacity
    state = Monitor(State(unallocated: limit))
  }

  /// A segment to fill, as soon as there is one; nil when the consumer has gone.
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

  /// Says that the input has ended.
  ///
  /// - Parameter bytesTaken: all bytes of the file, those behind its content included.
  func end(bytesTaken: Int) {
    state.withLock { state in state.ending = .end(bytesTaken: bytesTaken) }
  }

  /// Says that nothing can be read any more.
  func fail(_ error: JSONError) {
    state.withLock { state in state.ending = .failure(error) }
  }

  /// The next segment; the failure behind the last one is thrown as often as it is asked for.
  func next() throws(JSONError) -> ReadAhead.Arrival {
    let arrival = try state.wait(atMost: Self.patience, wakingIf: \.shouldWakeReader) {
      (state: inout State) throws(JSONError) -> ReadAhead.Arrival? in
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

  /// Bytes of the file that led to the segments handed over.
  var bytesTaken: Int { state.read { state in state.bytesTaken } }

  func recycle(_ segment: InputSegment) {
    state.withLock(wakingIf: \.shouldWakeReader) { state in state.empty.append(segment) }
  }

  /// Wants no further segment.
  func stop() {
    state.withLock { state in state.isStopped = true }
  }
}
