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
      position: position)
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
  /// The open containers of a document's record, with their paths.
  fileprivate var open: [(path: UInt16, isArray: Bool)] = []
  /// The path of the last key.
  fileprivate var keyPath = PathTable.root
  /// The position of the open list.
  fileprivate var listPosition: UInt32 = 0
  /// True if the list gets the position of its end instead.
  fileprivate var closesListHere = false
  fileprivate var listStart = 0
  /// The offset in the chunk after the last token.
  fileprivate var lastEnd = 0
  private var hasOverflowed = false

  init(isDocument: Bool) { self.isDocument = isDocument }

  /// Prepares for a record that begins at an offset in the chunk.
  mutating func begin(at offset: Int) {
    lastEnd = offset
    tokens.removeAll(keepingCapacity: tokens.capacity <= 4 * Self.commonTokens)
    hasOverflowed = false
    open.removeAll(keepingCapacity: true)
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

// The recording callbacks: each runs the plain one and records its effect.
extension LaneState {
  mutating func record(
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
      appendValue(&token)
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
    guard key(bytes, length) == 1 else { return 0 }
    if recorder.isDocument, let container = recorder.open.last {
      recorder.keyPath = tape.paths.child(
        of: container.path, key: UnsafeBufferPointer(start: bytes, count: length))
    }
    var token = newToken(.key)
    token.isSelectedKey = child >= 0
    token.isRepeated = isRepeated
    recorder.append(token)
    return 1
  }

  /// The token just read. Only separators lie between the previous token and its first byte.
  private mutating func newToken(_ event: RecordedToken.Event) -> RecordedToken {
    let end = tokenEnd
    var start = recorder.lastEnd
    while start < end, let byte = tape.chunk?[start], RecordReader.isSeparator(byte) { start += 1 }
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

  /// Appends a value of a document, with its path and span, to the tape.
  private mutating func appendValue(_ token: inout RecordedToken) {
    let span = Int(token.start)..<Int(token.end)
    switch token.event {
    case .startObject where depth == 1, .startArray where depth == 1:
      recorder.open.append((PathTable.root, token.event == .startArray))
      recorder.listStart = tape.elementCount
      recorder.listPosition = token.end
      token.setOperation(FEEDSCAN_OPEN_LIST, .list, slot: 0, position: token.end)
    case .endObject where depth == 0, .endArray where depth == 0:
      // The record has ended, and the row in progress is the next one's.
      (tape.row - tape.slotCount)[0] = TapeEntry(
        .list, length: tape.elementCount - recorder.listStart, offset: recorder.listStart,
        position: Int(recorder.listPosition))
      token.setOperation(FEEDSCAN_CLOSE_LIST, .list, slot: 0, position: recorder.listPosition)
    case .startObject, .startArray:
      let isArray = token.event == .startArray
      let path = valuePath()
      recorder.open.append((path, isArray))
      appendElement(&token, isArray ? .array : .object, path, span)
    case .endObject, .endArray:
      appendElement(&token, .end, recorder.open.removeLast().path, span)
    case .literal:
      let kind: TapeEntry.Kind =
        switch tape.chunk?[span.lowerBound] {
        case 0x74: .true
        case 0x66: .false
        default: .null
        }
      appendElement(&token, kind, valuePath(), span)
    case .string:
      let text = span.lowerBound + 1..<span.upperBound - 1
      let isEscaped = UnsafeBufferPointer(start: tape.chunk, count: text.upperBound)[text]
        .contains(0x5C)
      token.path = valuePath()
      token.target = FEEDSCAN_IN_LIST
      tape.append(
        TapeEntry(
          .string, flags: isEscaped ? FEEDSCAN_ESCAPED : 0, path: token.path, length: text.count,
          offset: text.lowerBound, position: span.lowerBound))
    case .number:
      token.path = valuePath()
      token.target = FEEDSCAN_IN_LIST
      tape.append(
        TapeEntry(
          .number, path: token.path, length: span.count, offset: span.lowerBound,
          position: span.lowerBound))
    case .key: break
    }
    if depth == 0, token.event.isScalar {
      (tape.row - tape.slotCount)[0] = TapeEntry(
        .list, length: 1, offset: tape.elementCount - 1, position: span.upperBound)
    }
  }

  /// The path of a value that begins now.
  private mutating func valuePath() -> UInt16 {
    guard let container = recorder.open.last else { return PathTable.root }
    guard container.isArray else { return recorder.keyPath }
    return tape.paths.element(of: container.path)
  }

  /// Appends a value that is part of the glue.
  private mutating func appendElement(
    _ token: inout RecordedToken, _ kind: TapeEntry.Kind, _ path: UInt16, _ span: Range<Int>
  ) {
    token.setOperation(
      FEEDSCAN_ELEMENT, kind, slot: path, length: UInt32(span.count), position: token.start)
    tape.append(
      TapeEntry(
        kind, path: path, length: span.count, offset: span.lowerBound, position: span.lowerBound))
  }
}
