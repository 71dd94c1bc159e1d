import CFeedScan

/// A token of a record that YAJL has read, and its effect on the lane's state.
struct RecordedToken {
  enum Event: UInt8 {
    case startObject, endObject, startArray, endArray, key, string, number, literal
  }

  var event: Event
  /// A key that the selection names.
  var isSelectedKey = false
  /// A selected key that already has a value. Its meaning depends on the preceding tokens.
  var isRepeated = false
  /// True if the token wrote `operation`, whose position is one in the chunk.
  var hasOperation = false
  var operation = feedscan_operation()
  /// The destination of a string or number.
  var target = FEEDSCAN_DROPPED
  var slot: UInt16 = 0
  var path: UInt16 = 0
  /// The offsets in the chunk of the token and after it.
  var start: UInt32
  var end: UInt32
  // The lane's state after the token.
  var ignored: Int32
  var node: Int32
  var listSlot: Int32
  /// True inside a list whose entry gets the position of its end, as after an escaped key.
  var closesListHere: Bool

  mutating func setOperation(
    _ code: feedscan_operation_code, _ kind: TapeEntry.Kind, slot: UInt16, length: UInt32 = 0,
    position: UInt32
  ) {
    hasOperation = true
    operation = feedscan_operation(
      code: UInt8(truncatingIfNeeded: code.rawValue), kind: kind, slot: slot, length: length,
      position: position, compact_position: 0)
  }
}

extension RecordedToken.Event {
  /// True for a value that is not a container.
  var isScalar: Bool { self == .string || self == .number || self == .literal }
}

/// Records the tokens of one record, and in a document the path and span of every value.
struct TokenRecorder {
  /// The maximum number of tokens of a record from which replay learns.
  static let maximumTokens = 1 << 16
  private static let commonTokens = 1 << 10

  /// The tokens so far; empty if there are too many.
  private(set) var tokens: [RecordedToken] = []
  /// False while replay does not learn.
  var isLearning = true
  /// True if every value of a record is selected, with its path.
  let isDocument: Bool
  /// The position of the open list.
  fileprivate var listPosition: UInt32 = 0
  /// True if the list gets the position of its end instead.
  fileprivate var closesListHere = false
  /// The offset in the chunk after the last token.
  fileprivate var lastEnd = 0
  private var hasOverflowed = false

  init(isDocument: Bool) { self.isDocument = isDocument }

  /// Prepares for a record that begins at an offset in the chunk.
  mutating func begin(at offset: Int) {
    lastEnd = offset
    tokens.removeAll(keepingCapacity: tokens.capacity <= 4 * Self.commonTokens)
    hasOverflowed = false
  }

  fileprivate mutating func append(_ token: RecordedToken) {
    guard isLearning, !hasOverflowed else { return }
    guard tokens.count < Self.maximumTokens else {
      hasOverflowed = true
      return tokens.removeAll()
    }
    tokens.append(token)
  }
}

// The recording callbacks: each runs the plain one, or that of documents, and records its effect.
extension LaneState {
  mutating func recordLiteral(_ kind: TapeEntry.Kind) -> CInt {
    record(.literal) { $0.recorder.isDocument ? $0.documentLiteral(kind) : $0.literal(kind) }
  }

  mutating func recordNumber(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    record(.number) {
      $0.recorder.isDocument ? $0.documentNumber(bytes, length) : $0.number(bytes, length)
    }
  }

  mutating func recordString(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    record(.string) {
      $0.recorder.isDocument ? $0.documentString(bytes, length) : $0.string(bytes, length)
    }
  }

  mutating func recordStart(_ event: RecordedToken.Event) -> CInt {
    let isArray = event == .startArray
    return record(event) { state in
      if state.recorder.isDocument { return state.documentStart(isArray: isArray) }
      return isArray ? state.startArray() : state.startObject()
    }
  }

  mutating func recordEnd(_ event: RecordedToken.Event) -> CInt {
    record(event) { state in
      if state.recorder.isDocument { return state.documentEnd() }
      return event == .endArray ? state.endArray() : state.endObject()
    }
  }

  private mutating func record(
    _ event: RecordedToken.Event, _ callback: (inout LaneState) -> CInt
  ) -> CInt {
    let (elements, slot, list, wasIgnored) = (tape.elementCount, awaited, listSlot, ignored > 0)
    guard callback(&self) == 1 else { return 0 }
    // The bracket that primes a handle belongs to no record.
    if event == .startArray, depth == 0 { return 1 }
    if event == .startObject || event == .startArray, depth == 1 {
      recorder.begin(at: tokenEnd - 1)
    } else if depth == 0, event.isScalar, tape.recordCount > 0, let bounds = tape.bounds {
      // The scalar is a record, which has ended.
      recorder.begin(at: bounds[tape.recordCount - 1].lowerBound)
    }
    if event == .startArray, list < 0, listSlot >= 0 {
      recorder.closesListHere = valueEnd == tokenEnd
    }
    var token = newToken(event)
    if recorder.isDocument {
      describeValue(&token)
    } else if tape.elementCount > elements {
      let entry = tape.elements[elements]
      describe(&token, entry, FEEDSCAN_ELEMENT, FEEDSCAN_IN_LIST, slot: 0)
    } else if event == .endArray, list >= 0, listSlot < 0 {
      token.setOperation(
        recorder.closesListHere ? FEEDSCAN_CLOSE_LIST_HERE : FEEDSCAN_CLOSE_LIST, .list,
        slot: UInt16(list), position: tape.row[Int(list)].position)
    } else if !wasIgnored, slot >= 0, awaited < 0, depth > 1 || event.isScalar {
      // The awaited value has been read.
      if event == .startArray, listSlot >= 0 {
        recorder.listPosition = UInt32(truncatingIfNeeded: valueEnd)
        token.setOperation(
          FEEDSCAN_OPEN_LIST, .list, slot: UInt16(slot), position: recorder.listPosition)
      } else {
        describe(&token, tape.row[Int(slot)], FEEDSCAN_STORE, FEEDSCAN_IN_SLOT, slot: UInt16(slot))
      }
    }
    recorder.append(token)
    return 1
  }

  mutating func recordKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    // Looked up before the callback, which may change the slot.
    let child =
      ignored > 0 || recorder.isDocument ? -1 : keys.child(of: node, bytes, length, isPadded: false)
    let isRepeated =
      child >= 0 && tape.row[Int(keys.children[Int(child)].slot)].kind != .absent
    let result = recorder.isDocument ? documentKey(bytes, length) : key(bytes, length)
    guard result == 1 else { return 0 }
    var token = newToken(.key)
    token.isSelectedKey = child >= 0
    token.isRepeated = isRepeated
    recorder.append(token)
    return 1
  }

  /// The offset of the next token: only separators lie before it.
  func firstByte(from offset: Int, to end: Int) -> Int {
    var start = offset
    while start < end, let byte = tape.chunk?[start], RecordReader.isSeparator(byte) { start += 1 }
    return start
  }

  /// The token just read.
  private mutating func newToken(_ event: RecordedToken.Event) -> RecordedToken {
    let end = tokenEnd
    let start = firstByte(from: recorder.lastEnd, to: end)
    recorder.lastEnd = end
    return RecordedToken(
      event: event, start: UInt32(truncatingIfNeeded: start),
      end: UInt32(truncatingIfNeeded: end), ignored: ignored, node: node, listSlot: listSlot,
      closesListHere: listSlot >= 0 && recorder.closesListHere)
  }

  /// Records the destination of a value: a string or number is the token of a step, every other value
  /// is part of its glue.
  private func describe(
    _ token: inout RecordedToken, _ entry: TapeEntry, _ code: feedscan_operation_code,
    _ target: feedscan_target, slot: UInt16
  ) {
    guard token.event == .string || token.event == .number else {
      return token.setOperation(code, entry.kind, slot: slot, position: entry.position)
    }
    token.target = target
    token.slot = slot
  }

  /// Records the value that the callback has appended to the list of a document.
  private func describeValue(_ token: inout RecordedToken) {
    switch token.event {
    case .startObject where depth == 1, .startArray where depth == 1:
      token.setOperation(FEEDSCAN_OPEN_LIST, .list, slot: 0, position: token.end)
    case .endObject where depth == 0, .endArray where depth == 0:
      // The record has ended, and the row in progress is the next one's.
      let list = (tape.row - tape.slotCount)[0]
      token.setOperation(FEEDSCAN_CLOSE_LIST, .list, slot: 0, position: list.position)
    case .key: break
    case .string, .number:
      token.path = tape.elements[tape.elementCount - 1].path
      token.target = FEEDSCAN_IN_LIST
    case .startObject, .startArray, .endObject, .endArray, .literal:
      let value = tape.elements[tape.elementCount - 1]
      token.setOperation(
        FEEDSCAN_ELEMENT, value.kind, slot: value.path, length: value.length,
        position: token.start)
    }
  }
}
