/// The state of a tracing parser: the open containers, the expected token, and what the envelope
/// of a document has shown so far.
struct Trace {
  /// What YAJL reports.
  enum Event {
    case literal(StaticString)
    case number([UInt8])
    case string([UInt8])
    case key([UInt8])
    case startObject, startArray, end
  }

  /// The tokens that the grammar allows next.
  enum Due {
    case text, firstKey, colon, nextKey, firstElement, nextElement, nothing
  }

  /// How to find the records of a document.
  struct RecordsLocation {
    /// Keys of the top-level object whose value may be the array of records. If empty, the document
    /// itself is the array.
    var recordKeys: [[UInt8]]
  }

  /// A scalar in the array of records.
  struct NonRecordElement {
    /// The end of the previous token.
    var from: Int
    var end: Int
    var index: Int
    var pointer: String
  }

  private struct Level {
    var isArray: Bool
    var isRecords = false
    var index = 0
    var key: [UInt8] = []
  }

  let limits: JSONLimits
  private let baseDepth: Int
  private let records: RecordsLocation?
  private var levels: [Level] = []
  private(set) var due = Due.text
  private(set) var chunkOffset = 0
  /// The absolute offset after the last event of this chunk, if it had one.
  private(set) var eventEnd: Int?
  /// Why a callback stopped the parser.
  private(set) var refusal: TracingParser.Fault?
  /// True if the token itself is rejected: the fault is at its first byte, the pending one.
  private(set) var refusesToken = false

  /// True once the array of records has begun.
  private(set) var hasRecords = false
  /// Elements of the array of records so far.
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
  private var lastEnd = 0
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
  }

  mutating func beginChunk(at offset: Int) {
    chunkOffset = offset
    eventEnd = nil
  }

  mutating func refuse(_ kind: JSONError.Kind, _ reason: String, at offset: Int? = nil) {
    refusal = TracingParser.Fault(
      kind: kind, reason: reason, byteOffset: offset ?? eventEnd ?? chunkOffset,
      pointer: lastPointer)
  }

  /// Rejects the token just read. The parser, which has its bytes, fills in its offset.
  private mutating func refuseToken(_ limit: KeyPath<JSONLimits, Int>) {
    refuse(.limit, limits.message(for: limit))
    refusesToken = true
  }

  /// Counts records that a lane has validated and the envelope parser has not read.
  ///
  /// - Parameter end: the absolute offset after the last of them.
  mutating func skipRecords(_ count: Int, endingAt end: Int) {
    elementCount += count
    lastEnd = end
    guard let last = levels.indices.last, levels[last].isRecords else { return }
    levels[last].index += count
  }

  /// Handles one event; false stops the parser.
  mutating func accept(_ event: Event, endingAt end: Int) -> Bool {
    guard take(event, endingAt: end) else { return false }
    guard records != nil, envelope.text.count > limits.siblingBytes else { return true }
    // The object may be a record itself: then the text is dropped instead.
    guard hasRecords else {
      envelope.drop()
      return true
    }
    return refuseSiblings(endingAt: end)
  }

  private mutating func refuseSiblings(endingAt end: Int) -> Bool {
    refuse(
      .limit, limits.message(for: \.siblingBytes), at: end - 1)
    return false
  }

  private mutating func take(_ event: Event, endingAt end: Int) -> Bool {
    switch event {
    case .key(let key): return acceptKey(key, endingAt: end)
    case .startObject, .startArray: return open(event, endingAt: end)
    case .end: close()
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

  private mutating func acceptKey(_ key: [UInt8], endingAt end: Int) -> Bool {
    guard let last = levels.indices.last else { return false }
    if key.count > limits.keyBytes {
      refuseToken(\.keyBytes)
      return false
    }
    levels[last].key = key
    levels[last].index += 1
    if captures { envelope.key(key) }
    if levels.count <= 2, outline?.count ?? 0 < Self.outlineLimit,
      !levels.contains(where: \.isArray)
    {
      outline?.insert(levels.map { String(decoding: $0.key, as: UTF8.self) })
    }
    due = .colon
    passed(end)
    return true
  }

  private mutating func open(_ event: Event, endingAt end: Int) -> Bool {
    beginValue()
    let isArray = if case .startArray = event { true } else { false }
    if baseDepth + levels.count + 1 > limits.depth {
      refuse(.limit, limits.message(for: \.depth), at: end - 1)
      return false
    }
    let isRecords = isArray && isRecordArray
    if isRecords, hasRecords {
      refuse(.shape, "a second array of records", at: end - 1)
      return false
    }
    if captures { isArray ? envelope.open(0x5B) : envelope.open(0x7B) }
    if isRecords {
      if envelope.isDropped { return refuseSiblings(endingAt: end) }
      hasRecords = true
      recordKey = levels.last?.key
      envelope.markRecords()
    }
    passed(end)
    levels.append(Level(isArray: isArray, isRecords: isRecords))
    due = isArray ? .firstElement : .firstKey
    return true
  }

  private mutating func close() {
    guard let closed = levels.popLast() else { return }
    if captures || (closed.isRecords && !envelope.isDropped) {
      envelope.close(closed.isArray ? 0x5D : 0x7D)
    }
    endValue()
  }

  private mutating func scalar(_ event: Event, endingAt end: Int) -> Bool {
    let count =
      switch event {
      case .number(let text), .string(let text): text.count
      default: 0
      }
    let isString = if case .string = event { true } else { false }
    let limit = tokenLimit(isString: isString)
    beginValue()
    if count > limit.bytes {
      refuseToken(limit.path)
      return false
    }
    if levels.last?.isRecords == true {
      nonRecordElements.append(
        NonRecordElement(from: lastEnd, end: end, index: elementCount - 1, pointer: lastPointer))
    } else if captures {
      envelope.scalar(event)
    }
    endValue()
    return true
  }

  /// The limit that the expected token reaches first, and the bytes that it allows: for a string,
  /// bytes of its value. A string next to the records also counts towards `siblingBytes`.
  func tokenLimit(isString: Bool) -> (path: KeyPath<JSONLimits, Int>, bytes: Int) {
    guard isString else { return (\.numberBytes, limits.numberBytes) }
    switch due {
    case .firstKey, .nextKey: return (\.keyBytes, limits.keyBytes)
    default: break
    }
    if captures, hasRecords {
      let rest = limits.siblingBytes - envelope.text.count
      if rest < limits.stringBytes { return (\.siblingBytes, rest) }
    }
    return (\.stringBytes, limits.stringBytes)
  }

  private mutating func beginValue() {
    guard let last = levels.indices.last, levels[last].isArray else { return }
    levels[last].index += 1
    if levels[last].isRecords { elementCount += 1 }
  }

  private mutating func endValue() {
    due = levels.last.map { $0.isArray ? .nextElement : .nextKey } ?? .nothing
  }

  private var isRecordArray: Bool {
    guard let records else { return false }
    if records.recordKeys.isEmpty { return levels.isEmpty }
    return levels.count == 1 && !levels[0].isArray && records.recordKeys.contains(levels[0].key)
  }

  // The envelope has all text outside the array of records.
  private var captures: Bool {
    records != nil && !envelope.isDropped && !levels.contains(where: \.isRecords)
  }
}

extension Trace {
  /// The path (RFC 6901) of the expected or unfinished value.
  ///
  /// - Parameter afterSeparator: true if the expected comma or colon has been read. After a comma,
  ///   a key is expected, and the previous member has ended.
  func pointer(afterSeparator: Bool) -> String {
    let awaitsKey = if case .nextKey = due { afterSeparator } else { false }
    return pointer(next: true, awaitsKey: awaitsKey)
  }

  /// The path of the last value.
  var lastPointer: String { pointer(next: false, awaitsKey: false) }

  private func pointer(next: Bool, awaitsKey: Bool) -> String {
    var result = ""
    for (depth, level) in levels.enumerated() {
      let isInnermost = depth == levels.count - 1
      if level.isArray {
        let awaitsElement = next && isInnermost
        result += "/\(awaitsElement ? level.index : max(level.index - 1, 0))"
      } else if level.index > 0, !(awaitsKey && isInnermost) {
        let key = String(decoding: level.key, as: UTF8.self)
        result += "/" + key.jsonPointerEscaped
      }
    }
    return result
  }
}

extension String {
  /// The text as a reference token of a JSON Pointer (RFC 6901, section 3).
  package var jsonPointerEscaped: String {
    replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The key of a reference token of a JSON Pointer.
  package var jsonPointerUnescaped: String {
    replacing("~1", with: "/").replacing("~0", with: "~")
  }
}
