import CFeedScan

/// A worker that validates records and writes the selected values of each to a tape.
///
/// Replay takes the records that repeat what YAJL has accepted before. Every other record goes to
/// the lane's own YAJL handle, the only source of verdicts. A lane is used by one thread at a time.
final class Lane {
  /// Bytes given to a handle at once after which it is replaced: YAJL's buffers never shrink.
  private static let largeChunk = 1 << 20
  /// No step is learned from longer records: few of them repeat, and their tokens would take many
  /// times their size.
  private static let longestLearnedRecord = 1 << 18

  // A struct at a stable address, for YAJL's callbacks: a class context costs half the speed.
  private let state: UnsafeMutablePointer<LaneState>
  private var plain: LaneHandle
  /// Also records tokens. Nil unless replay learns from them.
  private var recording: LaneHandle?
  let replay: ReplayProgram?
  private var backoff = ReplayBackoff()
  /// Validates every record a second time, to compare.
  private let judge: Lane?
  private let context: AnyObject?
  /// Counts the unselected keys of records; nil if they are not counted.
  private let otherKeys: UnselectedKeys?
  private let nodePaths: [[[UInt8]]]
  /// How the records since the last ``takeCounts()`` were validated.
  private var counts = ValidationCounts()
  /// True if replay and YAJL had different results for the record after those validated last.
  private(set) var hasDisagreement = false

  /// - Parameters:
  ///   - selection: the values to write to the tape.
  ///   - options: how to read a record.
  ///   - baseDepth: brackets open around a record in its document.
  ///   - isArray: true if a comma joins the records, false if each is a text of its own.
  ///   - isApart: true if other bytes than white space may separate two such texts.
  ///   - isJudge: true for the judge of another lane, whose YAJL reads the records as they are.
  ///   - context: what the batches of this lane share, on its tape.
  init(
    selection: Selection, options: JSONOptions, baseDepth: Int, isArray: Bool,
    isApart: Bool = false, isJudge: Bool = false, context: AnyObject? = nil
  ) {
    self.context = context
    otherKeys = selection.reportsOtherKeys ? context as? UnselectedKeys : nil
    nodePaths = otherKeys == nil ? [] : selection.nodePaths
    state = .allocate(capacity: 1)
    state.initialize(to: LaneState(selection: selection, options: options, baseDepth: baseDepth))
    let callbacks = selection.isDocument ? LaneCallbacks.document : LaneCallbacks.plain
    plain = LaneHandle(
      state, callbacks, isArray: isArray, isApart: isApart,
      condensed: isJudge ? nil : CondensedText(sliceBytes: options.sliceBytes))
    replay = options.validation == .yajl ? nil : ReplayProgram(selection, options)
    if replay != nil {
      recording = LaneHandle(
        state, LaneCallbacks.recording, isArray: isArray, isApart: isApart,
        condensed: nil)
    }
    guard options.validation == .both else {
      judge = nil
      return
    }
    var options = options
    options.validation = .yajl
    judge = Lane(
      selection: selection, options: options, baseDepth: baseDepth, isArray: isArray,
      isApart: isApart, isJudge: true)
  }

  deinit {
    state.pointee.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The offset in the chunk of a byte of the first excess element, if the last rejected record has
  /// too long a list.
  var excessElementByte: Int? { state.pointee.excessElement?.tokenByte }

  /// Validates records of one chunk.
  ///
  /// - Parameters:
  ///   - text: the bytes and the bitmap of special bytes, followed by a segment's padding. White
  ///     space separates two records, in an array together with exactly one comma. With `isApart`,
  ///     any bytes may separate them.
  ///   - records: the range of each record in the chunk, ascending; at least one.
  /// - Returns: the number of valid records, which are on the tape. If there are fewer than passed,
  ///   the next one is not JSON or exceeds a limit.
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
        isAccepted = parse(text, records, next..<next + count, isRecording: false)
        // The steps learned before the pause fill the program and may repeat no more.
        if backoff.endsPause(after: count), let replay, replay.isFull {
          if let otherKeys { replay.reportOtherKeys(to: otherKeys) }
          replay.clear()
        }
      }
    }
    return judge == nil ? state.pointee.tape.recordCount : compareWithJudge(text, records)
  }

  /// Replays records, and has YAJL validate the one at which replay stops. Returns false if YAJL
  /// rejects that one.
  private func validate(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>, from first: Int,
    _ replay: ReplayProgram
  ) -> Bool {
    let replayed = replay.replay(&state.pointee.tape)
    let next = first + replayed
    counts.replayed += replayed
    backoff.count(replayed: replayed, hasFallenBack: next < records.count)
    guard next < records.count else { return true }
    let isLearning = !replay.isFull && records[next].count <= Self.longestLearnedRecord
    state.pointee.recorder.isLearning = isLearning
    guard parse(text, records, next..<next + 1, isRecording: isLearning) else {
      return false
    }
    // YAJL has accepted the record and ended it at the splitter's bound. Nothing is learned from
    // other records: `{…},{…}` as one record would be two elements of the lane's array.
    if isLearning, replay.learn(state.pointee.recorder.tokens, text.chunk, records[next]) {
      counts.judged -= 1
      counts.learned += 1
    }
    return true
  }

  /// Has YAJL validate a run of records. Returns false if it rejects one.
  private func parse(
    _ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>,
    _ run: Range<Int>, isRecording: Bool
  ) -> Bool {
    let bytes = records[run.lowerBound].lowerBound..<records[run.upperBound - 1].upperBound
    let hasParsed =
      isRecording
      ? recording?.parse(text, records, run) ?? false
      : plain.parse(text, records, run)
    let accepted = state.pointee.tape.recordCount - run.lowerBound
    counts.judged += accepted
    let isAccepted = hasParsed && accepted == run.count
    if !isAccepted || bytes.count > Self.largeChunk {
      if isRecording { recording?.reset() } else { plain.reset() }
    }
    return isAccepted
  }

  /// Has the judge validate the same records and the rejected one. Returns how many leading records
  /// are equal on both tapes.
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

  /// Counts the unselected keys on the tape, if the selection reports them. Call it once per tape.
  func countOtherKeys() {
    guard let otherKeys else { return }
    replay?.reportOtherKeys(to: otherKeys)
    withTape(from: 0) { tape in
      tape.collectUnselectedKeys(into: otherKeys, nodePaths: nodePaths)
    }
  }

  /// Empties the tape and frees the memory of a huge record.
  func clearTape() {
    state.pointee.tape.removeAll(records: 0)
    judge?.clearTape()
  }

  /// How records were validated since the last call.
  func takeCounts() -> ValidationCounts {
    defer { counts = ValidationCounts() }
    return counts
  }

  /// Shares the tape of the records validated last.
  ///
  /// - Parameter firstRecord: the index in the document of the first of them.
  func withTape<Result, Failure: Error>(
    from firstRecord: Int, _ body: (borrowing RecordTape) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The pointer is into `state`, which only this lane's `deinit` frees.
    let storage = UnsafeRawPointer(state) + LaneState.tapeOffset
    let tape = RecordTape(
      storage.assumingMemoryBound(to: TapeStorage.self), firstRecord: firstRecord,
      context: context)
    return try body(tape)
  }
}
