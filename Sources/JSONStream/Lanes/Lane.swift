import CYajl

/// A worker that proves records with a YAJL handle of its own and writes the selected values of
/// each to a tape.
///
/// For an array the handle is primed once with `[`, and records reach it joined by commas, so that
/// it sees one long array wherever the document is cut. Lines reach it as texts of their own: that
/// there is a line feed between them the reader knows, and that each ends with its line is checked
/// at its end. A lane is used by one thread at a time.
final class Lane {
  /// Bytes of a chunk behind which the handle is made anew.
  private static let largeChunk = 1 << 20

  // A struct at a stable address, for YAJL's callbacks: a class context costs half the speed.
  private let state: UnsafeMutablePointer<LaneState>
  private var handle: yajl_handle?
  private let isArray: Bool

  /// - Parameters:
  ///   - selection: what to write down.
  ///   - options: how to read a record.
  ///   - baseDepth: brackets open around a record in its document.
  ///   - isArray: true if a comma joins the records, false if each is a text of its own.
  init(selection: Selection, options: JSONOptions, baseDepth: Int, isArray: Bool) {
    self.isArray = isArray
    state = .allocate(capacity: 1)
    state.initialize(to: LaneState(selection: selection, options: options, baseDepth: baseDepth))
    reset()
  }

  deinit {
    if let handle { yajl_free(handle) }
    state.pointee.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Starts afresh with a new handle: YAJL cannot go on behind an error.
  private func reset() {
    if let handle { yajl_free(handle) }
    handle = LaneCallbacks.makeHandle(context: state, isArray: isArray)
    state.pointee.prime(handle, isArray: isArray)
    if let handle, isArray { _ = yajl_parse(handle, [0x5B], 1) }
  }

  /// A byte in the chunk of the first element too many, if the record refused last has a longer list
  /// than allowed.
  var excessElementByte: Int? { state.pointee.excessElement?.tokenByte }

  /// Proves records that stand in one chunk.
  ///
  /// - Parameters:
  ///   - chunk: the bytes, and behind them a segment's padding; between two of the records,
  ///     white space, and in an array exactly one comma.
  ///   - records: where each begins and ends in the chunk, ascending; at least one.
  /// - Returns: how many records were proved, all of which are on the tape. If fewer than given,
  ///   the next one is not JSON or breaks a limit.
  func prove(_ chunk: UnsafePointer<UInt8>, _ records: UnsafeBufferPointer<Range<Int>>) -> Int {
    guard let first = records.first, let last = records.last, let handle else { return 0 }
    state.pointee.open(chunk: chunk, records: records)
    if isArray, state.pointee.isJoined, yajl_parse(handle, [0x2C], 1) != yajl_status_ok { return 0 }
    let length = last.upperBound - first.lowerBound
    let status = yajl_parse(handle, chunk + first.lowerBound, length)
    let proved = state.pointee.tape.recordCount
    if status != yajl_status_ok || proved != records.count {
      reset()
    } else if length > Self.largeChunk {
      // YAJL's buffers have grown with a huge string and would never shrink.
      reset()
    }
    return proved
  }

  /// Empties the tape, and gives back the memory that a huge record has taken there.
  func clearTape() { state.pointee.tape.removeAll(records: 0) }

  /// Lends the tape of the records proved last.
  func withTape<Result, Failure: Error>(
    _ body: (borrowing RecordTape) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The pointer leads into `state`, which lives as long as this lane.
    let storage = UnsafeRawPointer(state) + LaneState.tapeOffset
    let tape = RecordTape(storage.assumingMemoryBound(to: TapeStorage.self))
    return try body(tape)
  }
}
