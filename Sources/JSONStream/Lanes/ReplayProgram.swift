import CFeedScan

/// The steps that a lane has learned, and the state that learning needs.
///
/// Replay repeats only what YAJL has accepted. `learn` receives the tokens of a complete record that
/// YAJL has accepted, and cuts the record into steps. Used by one lane.
final class ReplayProgram {
  /// The maximum number of steps: for records of a schema, and for documents of any kind.
  static let recordSteps = 512
  static let documentSteps = Int(FEEDSCAN_MAXIMUM_STEPS)

  /// A state with this many steps cuts glue before an unselected key, and after a literal or
  /// container. The smaller parts repeat more often than the whole.
  private static let stepsOfWideState = 16
  /// Longer glue is cut after a literal or container in any state.
  private static let cutGlueBytes = 256
  /// The maximum depth at which steps are learned: the type of each level is a bit of the state.
  private static let maximumDepth = 63

  /// Everything on which YAJL's verdict about glue, and its effect on a lane, depend.
  private struct ParsingState: Hashable {
    enum LastToken { case none, string, number, key, value }

    /// A bit for each open container, one for an array.
    var arrays: UInt64 = 0
    var depth: Int32 = 0
    /// Open containers outside the selection.
    var ignored: Int32 = 0
    /// The open object of the selection, which determines its parents.
    var node: Int32 = 0
    /// The slot of the open list, or -1.
    var listSlot: Int32 = -1
    /// True if its entry gets the position of its end.
    var closesListHere = false
    /// The path of the open container of a document.
    var path = PathTable.root
    var last = LastToken.none
  }

  private let program: OpaquePointer
  private let kernel: feedscan_kernel
  private let isDocument: Bool
  private let reportsOtherKeys: Bool
  private let nodePaths: [[[UInt8]]]
  /// The unselected keys in the glue of counted steps, and the counts reported so far.
  private var otherKeys: [(step: Int32, paths: [[[UInt8]]], reported: UInt64)] = []
  /// The unselected keys in the glue since the last cut.
  private var pendingKeys: [[[UInt8]]] = []
  private var states: [ParsingState: UInt16] = [:]
  private var operations: [feedscan_operation] = []
  /// True once a step did not fit.
  private(set) var isFull = false

  /// Makes an empty program; nil if memory runs out.
  init?(_ selection: Selection, _ options: JSONOptions) {
    let limits = options.limits
    kernel = options.kernel
    let steps = selection.isDocument ? Self.documentSteps : Self.recordSteps
    isDocument = selection.isDocument
    reportsOtherKeys = selection.reportsOtherKeys
    nodePaths = reportsOtherKeys ? selection.nodePaths : []
    let programOptions = feedscan_program_options(
      slots: UInt32(selection.slotCount), steps: UInt32(steps), is_document: isDocument,
      string_bytes: UInt32(limits.stringBytes), number_bytes: UInt32(limits.numberBytes),
      key_bytes: UInt32(limits.keyBytes),
      list_elements: isDocument ? UInt32.max : UInt32(limits.listElements))
    guard let program = feedscan_program_make(programOptions) else { return nil }
    self.program = program
    for (node, children) in selection.nodes.enumerated() {
      for child in children {
        guard feedscan_program_select(program, Int16(node), child.key, child.key.count) else {
          return nil
        }
      }
    }
    clear()
  }

  deinit { feedscan_program_free(program) }

  /// Adds the number of records that have had each unselected key since the last call. Records that
  /// YAJL has validated do not count.
  func reportOtherKeys(to keys: UnselectedKeys) {
    var step = feedscan_step()
    for index in otherKeys.indices {
      let taken = feedscan_program_taken(program, otherKeys[index].step, &step)
      let news = taken - otherKeys[index].reported
      otherKeys[index].reported = taken
      for path in otherKeys[index].paths { keys.add(path, count: Int(clamping: news)) }
    }
  }

  /// Removes all steps and states. Call it after ``reportOtherKeys(to:)``.
  func clear() {
    otherKeys = []
    feedscan_program_clear(program)
    states = [ParsingState(): 0]
    isFull = false
  }

  /// Validates the next records of an open tape, up to the first that only YAJL can validate.
  /// Returns the number of validated records.
  func replay(_ tape: inout TapeStorage) -> Int {
    let first = tape.recordCount
    while true {
      switch tape.replay(program, kernel) {
      case FEEDSCAN_NO_ELEMENTS: tape.growElements()
      case FEEDSCAN_NO_ARENA: tape.growArenaForRecord()
      default: return tape.recordCount - first
      }
    }
  }

  /// The number of steps.
  var stepCount: Int { Int(feedscan_program_step_count(program)) }

  /// Values of one path and kind.
  struct ValueForm: Hashable {
    var path: UInt16
    var kind: TapeEntry.Kind
  }

  /// The number of values of each form in the replayed records of a document: the sums of the steps'
  /// counters. Counting costs nothing per value.
  var valueCounts: [ValueForm: UInt64] {
    var counts: [ValueForm: UInt64] = [:]
    var step = feedscan_step()
    for index in 0..<stepCount {
      let taken = feedscan_program_taken(program, Int32(index), &step)
      guard taken > 0 else { continue }
      let operations = UnsafeBufferPointer(
        start: step.operations, count: Int(step.operation_count))
      for operation in operations where operation.code == UInt8(FEEDSCAN_ELEMENT.rawValue) {
        counts[ValueForm(path: operation.slot, kind: operation.kind), default: 0] += taken
      }
      guard step.target == FEEDSCAN_IN_LIST else { continue }
      let kind: TapeEntry.Kind = step.token == FEEDSCAN_TOKEN_STRING ? .string : .number
      counts[ValueForm(path: step.path, kind: kind), default: 0] += taken
    }
    return counts
  }

  /// Adds the steps of a record. Returns false if there was none to add.
  ///
  /// - Parameters:
  ///   - tokens: all tokens of a record that YAJL has accepted, and no others.
  ///   - record: its range in the chunk, on which the splitter and YAJL agree.
  func learn(
    _ tokens: [RecordedToken], _ chunk: UnsafePointer<UInt8>, _ record: Range<Int>
  ) -> Bool {
    guard !isFull, let first = tokens.first, first.event == .startObject,
      Int(first.start) == record.lowerBound, Int(tokens[tokens.count - 1].end) == record.upperBound
    else { return false }
    let known = stepCount
    var position = LearningPosition(glueStart: record.lowerBound)
    operations.removeAll(keepingCapacity: true)
    pendingKeys = []
    for (index, token) in tokens.enumerated() {
      // The second value of a key replaces the first one. No step can express that.
      if token.isRepeated || !position.enter(token) { break }
      let isLast = index == tokens.count - 1
      if reportsOtherKeys { noteOtherKey(token, chunk) }
      guard let cut = cut(after: token, isLast: isLast, at: position) else {
        note(token, position)
        continue
      }
      if cut != FEEDSCAN_TOKEN_STRING, cut != FEEDSCAN_TOKEN_NUMBER { note(token, position) }
      guard addStep(cut, token, chunk, &position) else { break }
    }
    return stepCount > known
  }
}

extension ReplayProgram {
  /// The position in a record while its steps are learned.
  private struct LearningPosition {
    var glueStart: Int
    /// Whether the glue begins with the closing quote of a string.
    var beginsInString = false
    var state: UInt16 = 0
    /// The previous step, or -1.
    var step: Int32 = -1
    var arrays: UInt64 = 0
    var depth = 0
    var path = [PathTable.root]

    init(glueStart: Int) { self.glueStart = glueStart }

    /// Tracks the open containers. Returns false if there are too many.
    mutating func enter(_ token: RecordedToken) -> Bool {
      switch token.event {
      case .startObject, .startArray:
        depth += 1
        guard depth <= ReplayProgram.maximumDepth else { return false }
        let bit = UInt64(1) << UInt64(depth)
        arrays = token.event == .startArray ? arrays | bit : arrays & ~bit
        if depth > 1 { path.append(token.operation.slot) }
      case .endObject, .endArray:
        arrays &= ~(UInt64(1) << UInt64(depth))
        depth -= 1
        if depth > 0 { path.removeLast() }
      case .key, .string, .number, .literal: break
      }
      return true
    }
  }

  /// The kind of token that ends a step here, or nil if the glue continues.
  private func cut(
    after token: RecordedToken, isLast: Bool, at position: LearningPosition
  ) -> feedscan_token? {
    if isLast { return FEEDSCAN_TOKEN_END }
    switch token.event {
    case .string: return FEEDSCAN_TOKEN_STRING
    case .number: return FEEDSCAN_TOKEN_NUMBER
    case .key where !token.isSelectedKey && !isDocument && isWide(position.state):
      return FEEDSCAN_TOKEN_KEY
    case .literal, .endObject, .endArray:
      let isLong = Int(token.end) - position.glueStart > Self.cutGlueBytes
      return isLong || isWide(position.state) ? FEEDSCAN_TOKEN_NONE : nil
    default: return nil
    }
  }

  private func isWide(_ state: UInt16) -> Bool {
    feedscan_program_steps_from(program, state) >= Self.stepsOfWideState
  }

  /// Remembers a key that is not selected.
  private func noteOtherKey(_ token: RecordedToken, _ chunk: UnsafePointer<UInt8>) {
    guard token.event == .key, !token.isSelectedKey, token.ignored == 0,
      Int(token.node) < nodePaths.count
    else { return }
    let raw = UnsafeBufferPointer(
      start: chunk + Int(token.start) + 1, count: Int(token.end - token.start) - 2)
    let text = JSONCursor.Text(0..<raw.count, isEscaped: raw.contains(0x5C))
    let key = text.decoded(in: UnsafeRawBufferPointer(raw).bytes)
    pendingKeys.append(nodePaths[Int(token.node)] + [key])
  }

  /// Records what a token in the glue writes.
  private func note(_ token: RecordedToken, _ position: LearningPosition) {
    guard token.hasOperation else { return }
    var operation = token.operation
    // A list that closes with the position of its opening ignores this position.
    operation.position &-= UInt32(truncatingIfNeeded: position.glueStart)
    operations.append(operation)
  }

  /// Adds the step that ends with a token, unless it is known. Returns false if it does not fit.
  private func addStep(
    _ cut: feedscan_token, _ token: RecordedToken, _ chunk: UnsafePointer<UInt8>,
    _ position: inout LearningPosition
  ) -> Bool {
    let isQuoted = cut == FEEDSCAN_TOKEN_STRING || cut == FEEDSCAN_TOKEN_KEY
    let glueEnd =
      switch cut {
      case FEEDSCAN_TOKEN_END, FEEDSCAN_TOKEN_NONE: Int(token.end)
      default: Int(token.start) + (isQuoted ? 1 : 0)
      }
    let glue = chunk + position.glueStart
    let length = glueEnd - position.glueStart
    var step = feedscan_program_find(program, position.state, glue, length, cut)
    // The key of a step that takes any key is reported by its text.
    let isAnyKey = cut == FEEDSCAN_TOKEN_KEY
    if isAnyKey, !pendingKeys.isEmpty { pendingKeys.removeLast() }
    defer { pendingKeys = [] }
    if step < 0 {
      guard let next = stateAfter(cut, token, position) else {
        isFull = true
        return false
      }
      step = operations.withUnsafeBufferPointer { operations in
        let reportsKey = reportsOtherKeys && isAnyKey && token.ignored == 0
        var added = feedscan_step(
          glue: glue, length: UInt32(length), token: cut,
          target: reportsKey ? FEEDSCAN_IN_LIST : token.target, slot: token.slot,
          path: token.path, node: token.ignored > 0 ? -1 : Int16(token.node),
          is_counted: !pendingKeys.isEmpty, begins_in_string: position.beginsInString,
          operations: operations.baseAddress,
          operation_count: UInt32(operations.count),
          next_state: next)
        return feedscan_program_add(program, position.state, &added)
      }
      guard step >= 0 else {
        isFull = true
        return false
      }
      if !pendingKeys.isEmpty { otherKeys.append((step, pendingKeys, 0)) }
    }
    feedscan_program_guess(program, position.step, step)
    position.step = step
    position.state = feedscan_program_state_after(program, step)
    position.glueStart = isQuoted ? Int(token.end) - 1 : Int(token.end)
    position.beginsInString = isQuoted
    operations.removeAll(keepingCapacity: true)
    return true
  }

  private func stateAfter(
    _ cut: feedscan_token, _ token: RecordedToken, _ position: LearningPosition
  ) -> UInt16? {
    var state = ParsingState()
    switch cut {
    case FEEDSCAN_TOKEN_END: return 0
    case FEEDSCAN_TOKEN_STRING: state.last = .string
    case FEEDSCAN_TOKEN_NUMBER: state.last = .number
    case FEEDSCAN_TOKEN_KEY: state.last = .key
    default: state.last = .value
    }
    state.arrays = position.arrays
    state.depth = Int32(truncatingIfNeeded: position.depth)
    state.ignored = token.ignored
    state.node = token.node
    state.listSlot = token.listSlot
    state.closesListHere = token.closesListHere
    state.path = position.path.last ?? PathTable.root
    if let number = states[state] { return number }
    let number = feedscan_program_add_state(program)
    guard number >= 0 else { return nil }
    states[state] = UInt16(truncatingIfNeeded: number)
    return UInt16(truncatingIfNeeded: number)
  }
}

/// Decides when replay is worth trying.
///
/// A record that replay cannot take costs a failed walk and the recording of its tokens. If these
/// are more than a quarter of the records, replay pauses. Each further pause is twice as long, up
/// to a maximum. A window with fewer fallbacks halves the next pause.
struct ReplayBackoff {
  /// The number of records over which fallbacks are counted.
  private static let window = 256
  /// With more fallbacks in a window, replay pauses.
  private static let maximumFallbacks = 64
  private static let pauses = 2048...(64 << 10)

  private var records = 0
  private var fallbacks = 0
  private var pause = pauses.lowerBound
  /// The number of records that YAJL validates before replay is tried again.
  private(set) var pauseLeft = 0

  /// Counts replayed records, and the one at which replay stopped, if any.
  mutating func count(replayed: Int, hasFallenBack: Bool) {
    records += replayed + (hasFallenBack ? 1 : 0)
    fallbacks += hasFallenBack ? 1 : 0
    if fallbacks > Self.maximumFallbacks {
      pauseLeft = pause
      pause = min(2 * pause, Self.pauses.upperBound)
      (records, fallbacks) = (0, 0)
    } else if records >= Self.window {
      pause = max(pause / 2, Self.pauses.lowerBound)
      (records, fallbacks) = (0, 0)
    }
  }

  /// Counts records of a pause. Returns true if it ends with them.
  mutating func endsPause(after count: Int) -> Bool {
    pauseLeft = max(0, pauseLeft - count)
    return pauseLeft == 0
  }
}
