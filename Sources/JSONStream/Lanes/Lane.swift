import CFeedScan

/// A worker that validates records and writes the selected values of each to a tape.
///
/// Replay takes the records that repeat what YAJL has accepted before. Every other record goes to
/// the lane's own YAJL handle, the only source of verdicts. A lane is used by one thread at a time.
final class Lane {
  /// Bytes given to a handle at once after which it is replaced: YAJL's buffers never shrink.
  private static let largeChunk = 1 << 20

  // A struct at a stable address, for YAJL's callbacks: a class context costs half the speed.
  private let state: UnsafeMutablePointer<LaneState>
  private var plain: LaneHandle
  /// Reports to the recorder too. Nil unless records are learned from, or all values are wanted.
  private var recording: LaneHandle?
  let replay: ReplayProgram?
  private var backoff = ReplayBackoff()
  /// Validates every record a second time, to compare.
  private let judge: Lane?
  private let isDocument: Bool
  /// How the records since the last ``takeCounts()`` were validated.
  private var counts = ValidationCounts()
  /// True if replay and YAJL made something different of the record after those validated last.
  private(set) var hasDisagreement = false

  /// - Parameters:
  ///   - selection: what to write down.
  ///   - options: how to read a record.
  ///   - baseDepth: brackets open around a record in its document.
  ///   - isArray: true if a comma joins the records, false if each is a text of its own.
  init(selection: Selection, options: JSONOptions, baseDepth: Int, isArray: Bool) {
    state = .allocate(capacity: 1)
    state.initialize(to: LaneState(selection: selection, options: options, baseDepth: baseDepth))
    isDocument = selection.isDocument
    plain = LaneHandle(state, LaneCallbacks.plain, isArray: isArray)
    replay = options.validation == .yajl ? nil : ReplayProgram(selection, options)
    if replay != nil || isDocument {
      recording = LaneHandle(state, LaneCallbacks.recording, isArray: isArray)
    }
    guard options.validation == .both else {
      judge = nil
      return
    }
    var options = options
    options.validation = .yajl
    judge = Lane(selection: selection, options: options, baseDepth: baseDepth, isArray: isArray)
  }

  deinit {
    state.pointee.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// A byte in the chunk of the first element too many, if the record refused last has a longer list
  /// than allowed.
  var excessElementByte: Int? { state.pointee.excessElement?.tokenByte }

  /// Validates records that stand in one chunk.
  ///
  /// - Parameters:
  ///   - text: the bytes and the bitmap of special bytes, followed by a segment's padding. Two
  ///     records are separated by white space, and in an array by exactly one comma.
  ///   - records: where each begins and ends in the chunk, ascending; at least one.
  /// - Returns: how many records are valid, all of which are on the tape. If fewer than given,
  ///   the next one is not JSON or breaks a limit.
  func validate(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>
  ) -> Int {
    state.pointee.open(text, records)
    hasDisagreement = false
    var isAccepted = true
    while isAccepted, state.pointee.tape.recordCount < records.count {
      let next = state.pointee.tape.recordCount
      if let replay, backoff.pauseLeft == 0 {
        isAccepted = validate(text, records, from: next, replay)
      } else {
        let count = min(records.count - next, replay == nil ? records.count : backoff.pauseLeft)
        state.pointee.recorder.isLearning = false
        isAccepted = parse(text, records, next..<next + count, isRecording: isDocument)
        // What was learned before the pause may repeat no more, and has taken the room.
        if backoff.endsPause(after: count), let replay, replay.isFull { replay.clear() }
      }
    }
    return judge == nil ? state.pointee.tape.recordCount : compareWithJudge(text, records)
  }

  /// Lets replay take records, and YAJL the one at which it stops; false if YAJL refuses that.
  private func validate(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>, from first: Int,
    _ replay: ReplayProgram
  ) -> Bool {
    let replayed = replay.replay(&state.pointee.tape)
    let next = first + replayed
    counts.replayed += replayed
    backoff.count(replayed: replayed, hasFallenBack: next < records.count)
    guard next < records.count else { return true }
    let isLearning = !replay.isFull
    state.pointee.recorder.isLearning = isLearning
    guard parse(text, records, next..<next + 1, isRecording: isLearning || isDocument) else {
      return false
    }
    // YAJL has accepted the record, and ended it at the splitter's bound. From others nothing is
    // learned: `{…},{…}` as one record would be two elements of the lane's array.
    if isLearning, replay.learn(state.pointee.recorder.tokens, text.chunk, records[next]) {
      counts.judged -= 1
      counts.learned += 1
    }
    return true
  }

  /// Has YAJL validate a run of records; false if it refuses one.
  private func parse(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>,
    _ run: Range<Int>, isRecording: Bool
  ) -> Bool {
    let bytes = records[run.lowerBound].lowerBound..<records[run.upperBound - 1].upperBound
    let hasParsed =
      isRecording ? recording?.parse(text.chunk, bytes) ?? false : plain.parse(text.chunk, bytes)
    let accepted = state.pointee.tape.recordCount - run.lowerBound
    counts.judged += accepted
    let isAccepted = hasParsed && accepted == run.count
    if !isAccepted || bytes.count > Self.largeChunk {
      if isRecording { recording?.reset() } else { plain.reset() }
    }
    return isAccepted
  }

  /// Has the judge validate the same records, and the one that was refused. Returns how many are
  /// the same on both tapes.
  private func compareWithJudge(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>
  ) -> Int {
    let count = state.pointee.tape.recordCount
    guard let judge else { return count }
    let all = UnsafeBufferPointer(rebasing: records[..<min(count + 1, records.count)])
    let judged = judge.validate(text, all)
    let same = state.pointee.tape.commonRecordCount(with: judge.state.pointee.tape)
    hasDisagreement = same < count || judged != count
    state.pointee.tape.removeRecords(from: same)
    return same
  }

  /// Empties the tape, and frees the memory that a huge record has taken there.
  func clearTape() {
    state.pointee.tape.removeAll(records: 0)
    judge?.clearTape()
  }

  /// How records were validated since this was called last.
  func takeCounts() -> ValidationCounts {
    defer { counts = ValidationCounts() }
    return counts
  }

  /// Shares the tape of the records validated last.
  func withTape<Result, Failure: Error>(
    _ body: (borrowing RecordTape) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The pointer leads into `state`, which lives as long as this lane.
    let storage = UnsafeRawPointer(state) + LaneState.tapeOffset
    let tape = RecordTape(storage.assumingMemoryBound(to: TapeStorage.self))
    return try body(tape)
  }
}
