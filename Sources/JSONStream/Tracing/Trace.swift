/// The state of a tracing parser: the open containers, the expected token, and what the envelope
/// of a document has shown so far.
struct Trace {
  /// What YAJL reports. Texts are borrowed for the call.
  enum Event {
    case literal(StaticString)
    case number(UnsafeBufferPointer<UInt8>)
    case string(UnsafeBufferPointer<UInt8>)
    case key(UnsafeBufferPointer<UInt8>)
    case startObject, startArray, end
  }

  /// The tokens that the grammar allows next.
  enum Due {
    case text, firstKey, colon, nextKey, firstElement, nextElement, nothing
  }

  struct Level {
    var isArray: Bool
    var isRecords = false
    var index = 0
    /// The bounds of its last key in `keys`.
    var keyStart: Int
    var keyEnd: Int
    /// The absolute offset of its bracket.
    var start: Int
    /// How many of its values are objects.
    var objects = 0
    /// True if the container of records is in it.
    var holdsRecords = false
    /// Bytes of the largest container in it that was noted.
    var largestInner = 0
  }

  let limits: JSONLimits
  private let baseDepth: Int
  private let records: RecordsLocation?
  let container: PlannedContainer?
  private(set) var levels: [Level] = []
  /// The last key of each open object, one after the other.
  private var keys: [UInt8] = []
  private(set) var due = Due.text
  private(set) var chunkOffset = 0
  /// The absolute offset after the last event of this chunk, if it had one.
  private(set) var eventEnd: Int?
  /// Why a callback stopped the parser.
  private(set) var refusal: TracingParser.Fault?
  /// True if the token itself is rejected: the fault is at its first byte, the pending one.
  private(set) var refusesToken = false

  /// True once the container of records has begun.
  private(set) var hasRecords = false
  /// Elements of the container of records so far.
  private(set) var elementCount = 0
  /// The key whose value is the array of records.
  private(set) var recordKey: [UInt8]?
  /// Scalars among the records, until the reader removes them.
  var nonRecordElements: [NonRecordElement] = []
  /// The fields next to the records.
  private(set) var envelope = Envelope()
  /// The absolute offset of a byte for which ``found`` is set.
  var sought: Int?
  /// The path of the value at ``sought``, and the end of the previous event, once it was read.
  private(set) var found: (pointer: String, from: Int)?
  /// The absolute offset after the last event.
  private(set) var lastEnd = 0
  private var isInRecords = false
  private var openArrays = 0
  /// How many of the outermost open containers are objects on the path to the planned container.
  private(set) var matchedDepth = 0
  /// Values so far that the plan could mean.
  private(set) var occurrences = 0
  /// The end of the token before the key of a record, until its value has ended.
  private(set) var memberFrom: Int?
  /// True if a value before the records has their path, but not their type.
  private(set) var hasMisfit = false
  /// The largest containers next to the records, if a plan locates these.
  private(set) var seen = SeenContainers()
  /// The paths of the keys of the outermost object and of the objects in it; nil if not requested.
  var outline: Set<[String]>?
  /// More keys do not help to determine a record's kind.
  private static let outlineLimit = 1 << 14

  /// - Parameters:
  ///   - limits: the limits of the text.
  ///   - baseDepth: brackets open around it in its document.
  ///   - records: how to find the records; nil for a text without framing.
  init(limits: JSONLimits, baseDepth: Int, records: RecordsLocation?) {
    self.limits = limits
    self.baseDepth = baseDepth
    self.records = records
    container = if case .container(let container) = records { container } else { nil }
  }

  mutating func beginChunk(at offset: Int) { (chunkOffset, eventEnd) = (offset, nil) }

  mutating func refuse(_ kind: JSONError.Kind, _ reason: String, at offset: Int? = nil) {
    refusal = TracingParser.Fault(
      kind: kind, reason: reason, byteOffset: offset ?? eventEnd ?? chunkOffset,
      pointer: lastPointer)
  }

  /// Rejects the token just read. The parser, which has its bytes, fills in its offset.
  private mutating func refuseToken(_ limit: TokenLimit) {
    refuse(.limit, limits.message(for: limit.path))
    refusesToken = true
  }

  /// Counts records that a lane has validated and the envelope parser has not read.
  ///
  /// - Parameters:
  ///   - end: the absolute offset after the last of them.
  ///   - key: its key, if it is a member.
  mutating func skipRecords(
    _ count: Int, endingAt end: Int, key: UnsafeBufferPointer<UInt8>? = nil
  ) {
    elementCount += count
    lastEnd = end
    guard let last = levels.indices.last, levels[last].isRecords else { return }
    levels[last].index += count
    if let key { setKey(key) }
  }

  /// Handles one event; false stops the parser.
  mutating func accept(_ event: Event, endingAt end: Int) -> Bool {
    guard take(event, endingAt: end) else { return false }
    guard container == nil, records != nil, envelope.text.count > limits.siblingBytes else {
      return true
    }
    // The object may be a record itself: then the text is dropped instead.
    guard hasRecords else {
      envelope.drop()
      return true
    }
    return refuseSiblings(endingAt: end)
  }

  private mutating func refuseSiblings(endingAt end: Int) -> Bool {
    refuse(.limit, limits.message(for: \.siblingBytes), at: end - 1)
    return false
  }

  private mutating func take(_ event: Event, endingAt end: Int) -> Bool {
    switch event {
    case .key(let key): return acceptKey(key, endingAt: end)
    case .startObject, .startArray: return open(event, endingAt: end)
    case .end: close(endingAt: end)
    case .literal, .number, .string: guard scalar(event, endingAt: end) else { return false }
    }
    passed(end)
    return true
  }

  // An event carries the end of its token: the first one after the sought byte belongs to it.
  private mutating func passed(_ end: Int) {
    if let sought, found == nil, end > sought { found = (lastPointer, lastEnd) }
    eventEnd = end
    lastEnd = end
  }

  private mutating func acceptKey(
    _ key: UnsafeBufferPointer<UInt8>, endingAt end: Int
  ) -> Bool {
    guard let last = levels.indices.last else { return false }
    if key.count > limits.keyBytes {
      refuseToken(.key)
      return false
    }
    setKey(key)
    levels[last].index += 1
    if captures { envelope.key(key) }
    if levels[last].isRecords { memberFrom = lastEnd }
    if let known = outline?.count, known < Self.outlineLimit, levels.count <= 2, openArrays == 0 {
      let path = levels.map { String(decoding: self.key(of: $0), as: UTF8.self) }
      outline?.insert(path)
    }
    due = .colon
    passed(end)
    return true
  }

  /// Replaces the key of the innermost object.
  private mutating func setKey(_ key: UnsafeBufferPointer<UInt8>) {
    guard let last = levels.indices.last else { return }
    keys.removeLast(keys.count - levels[last].keyStart)
    keys.append(contentsOf: key)
    levels[last].keyEnd = keys.count
  }

  func key(of level: Level) -> ArraySlice<UInt8> { keys[level.keyStart..<level.keyEnd] }

  private mutating func open(_ event: Event, endingAt end: Int) -> Bool {
    beginValue()
    let isArray = if case .startArray = event { true } else { false }
    if baseDepth + levels.count + 1 > limits.depth {
      refuse(.limit, limits.message(for: \.depth), at: end - 1)
      return false
    }
    var isRecords = isArray && isRecordArray
    if isRecords, hasRecords {
      refuse(.shape, "a second array of records", at: end - 1)
      return false
    }
    if let container {
      switch visit(container, isArray: isArray) {
      case .refused(let reason):
        refuse(.shape, reason, at: end - 1)
        return false
      case .records: isRecords = true
      case .other: break
      }
    }
    if captures { isArray ? envelope.open(0x5B) : envelope.open(0x7B) }
    if isRecords {
      if envelope.isDropped { return refuseSiblings(endingAt: end) }
      hasRecords = true
      recordKey = levels.last.map { Array(key(of: $0)) }
      isInRecords = true
      envelope.markRecords()
      for level in levels.indices { levels[level].holdsRecords = true }
    }
    passed(end)
    if let container, !isArray, levels.count < container.path.count, isOnPath(container) {
      matchedDepth += 1
    }
    openArrays += isArray ? 1 : 0
    let place = keys.count
    levels.append(
      Level(isArray: isArray, isRecords: isRecords, keyStart: place, keyEnd: place, start: end - 1))
    due = isArray ? .firstElement : .firstKey
    return true
  }

  private mutating func close(endingAt end: Int) {
    guard let closed = levels.popLast() else { return }
    keys.removeLast(keys.count - closed.keyStart)
    openArrays -= closed.isArray ? 1 : 0
    if closed.isRecords { isInRecords = false }
    if !closed.isArray, let last = levels.indices.last { levels[last].objects += 1 }
    matchedDepth = min(matchedDepth, levels.count)
    if container != nil { note(closed, endingAt: end) }
    if captures || (closed.isRecords && !envelope.isDropped) {
      envelope.close(closed.isArray ? 0x5D : 0x7D)
    }
    endValue()
  }

  private mutating func scalar(_ event: Event, endingAt end: Int) -> Bool {
    let (count, isString) =
      switch event {
      case .number(let text): (text.count, false)
      case .string(let text): (text.count, true)
      default: (0, false)
      }
    let limit = tokenLimit(isString: isString)
    beginValue()
    if count > limit.bytes {
      refuseToken(limit.limit)
      return false
    }
    if let container, case .refused(let reason) = visit(container, isArray: nil) {
      refuse(.shape, reason)
      refusesToken = true
      return false
    }
    if levels.last?.isRecords == true {
      nonRecordElements.append(
        NonRecordElement(
          from: lastEnd, end: end, index: elementCount - 1, memberFrom: memberFrom,
          pointer: container == nil ? lastPointer : ""))
    } else if captures {
      envelope.scalar(event)
    }
    endValue()
    return true
  }

  /// The limit that the expected token reaches first, and the bytes that it allows: for a string,
  /// bytes of its value. A string next to the records also counts towards `siblingBytes`.
  func tokenLimit(isString: Bool) -> (limit: TokenLimit, bytes: Int) {
    guard isString else { return (.number, limits.numberBytes) }
    switch due {
    case .firstKey, .nextKey: return (.key, limits.keyBytes)
    default: break
    }
    if captures, hasRecords {
      let rest = limits.siblingBytes - envelope.text.count
      if rest < limits.stringBytes { return (.siblings, rest) }
    }
    return (.string, limits.stringBytes)
  }

  private mutating func beginValue() {
    guard let last = levels.indices.last else { return }
    if levels[last].isArray { levels[last].index += 1 }
    if levels[last].isRecords { elementCount += 1 }
  }

  private mutating func endValue() {
    guard let last = levels.indices.last else {
      due = .nothing
      return
    }
    due = levels[last].isArray ? .nextElement : .nextKey
    if levels[last].isRecords { memberFrom = nil }
  }

  private var isRecordArray: Bool {
    guard case .keys(let known) = records else { return false }
    if known.isEmpty { return levels.isEmpty }
    guard levels.count == 1, !levels[0].isArray else { return false }
    return known.contains { $0.elementsEqual(keys) }
  }

  // The envelope has all text outside the array of records.
  private var captures: Bool {
    container == nil && records != nil && !envelope.isDropped
      && !isInRecords
  }
}

extension Trace {
  /// What a value means for a plan.
  private enum Visit {
    case records, other
    case refused(String)
  }

  /// True if the next value in the innermost container is on the path to the planned one, or is it.
  private func isOnPath(_ container: PlannedContainer) -> Bool {
    guard matchedDepth == levels.count else { return false }
    guard let last = levels.last else { return true }
    return key(of: last).elementsEqual(container.path[levels.count - 1])
  }

  private mutating func visit(_ container: PlannedContainer, isArray: Bool?) -> Visit {
    guard levels.count == container.path.count, isOnPath(container) else { return .other }
    let fits = isArray == container.isArray
    if fits { occurrences += 1 }
    guard hasRecords else {
      if hasMisfit, let reason = container.refusal(ofRepeated: lastPointer, fits: false) {
        return .refused(reason)
      }
      hasMisfit = hasMisfit || !fits
      return fits && container.occurrence ?? occurrences == occurrences ? .records : .other
    }
    return container.refusal(ofRepeated: lastPointer, fits: fits).map { .refused($0) } ?? .other
  }

  /// Notes a container next to the records, unless one in it has most of its bytes.
  private mutating func note(_ closed: Level, endingAt end: Int) {
    guard openArrays == 0, !closed.isRecords, !closed.holdsRecords, let last = levels.indices.last
    else { return }
    if let container, levels.count == container.path.count, isOnPath(container),
      closed.isArray == container.isArray
    {
      // Another occurrence of the records is not a candidate. `occurrences` counts it.
      return seen.removeAll(in: container.path)
    }
    let bytes = end - closed.start
    var largest = closed.largestInner
    if closed.index > 1, levels.count <= SeenContainers.maximumDepth, bytes > 2 * largest {
      largest = bytes
      if seen.accepts(bytes) {
        let looksLikeRecords =
          closed.isArray
          ? closed.objects * 2 >= closed.index
          : closed.objects == closed.index && closed.index >= 3
        seen.add(
          SeenContainers.Entry(
            path: levels.map { Array(key(of: $0)) }, bytes: bytes, isArray: closed.isArray,
            looksLikeRecords: looksLikeRecords))
      }
    }
    levels[last].largestInner = max(levels[last].largestInner, largest)
  }
}
