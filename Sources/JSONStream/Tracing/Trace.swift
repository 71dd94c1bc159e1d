/// The state of a tracing parser: which containers are open, which token is due, and what the
/// spine of a document has shown so far.
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
    /// Keys of the top-level object under which the records may stand; with none, the document
    /// itself is their array.
    var recordKeys: [[UInt8]]
  }

  /// A scalar where a record should be.
  struct NonRecordElement {
    /// Where the token before it ended.
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
  private(set) var pieceOffset = 0
  /// The absolute offset behind the last event of this piece, if it had one.
  private(set) var eventEnd: Int?
  /// Why a callback stopped the parser.
  private(set) var refusal: TracingParser.Fault?
  /// True if that is the token itself, whose first byte is the pending one.
  private(set) var refusesToken = false

  /// True once the array of records has begun.
  private(set) var hasRecords = false
  /// Elements of the array of records so far.
  private(set) var elementCount = 0
  /// The key that the records stand under.
  private(set) var recordKey: [UInt8]?
  /// Scalars that stood among the records, to be taken by the reader.
  var nonRecordElements: [NonRecordElement] = []
  /// What stands beside the records.
  private(set) var envelope = Envelope()
  /// The absolute offset of a byte whose value is wanted.
  var sought: Int?
  /// That value's path, and the end of the event before it, once it has been read.
  private(set) var found: (pointer: String, from: Int)?
  private var lastEnd = 0
  /// The keys of the outermost object and of the objects in it, where they are wanted.
  var outline: Set<[String]>?
  /// More keys tell no more of a record's kind.
  private static let outlineLimit = 1 << 14

  /// - Parameters:
  ///   - limits: what the text may ask for.
  ///   - baseDepth: brackets open around it in its document.
  ///   - spine: how to find the records; nil for a text without framing.
  init(limits: JSONLimits, baseDepth: Int, records: RecordsLocation?) {
    self.limits = limits
    self.baseDepth = baseDepth
    self.records = records
  }

  mutating func beginPiece(at offset: Int) {
    pieceOffset = offset
    eventEnd = nil
  }

  mutating func refuse(_ kind: JSONError.Kind, _ reason: String, at offset: Int? = nil) {
    refusal = TracingParser.Fault(
      kind: kind, reason: reason, byteOffset: offset ?? eventEnd ?? pieceOffset,
      pointer: lastPointer)
  }

  /// Refuses the token just read. Where it begins the parser knows, which has its bytes.
  private mutating func refuseToken(_ limit: KeyPath<JSONLimits, Int>) {
    refuse(.limit, limits.message(for: limit))
    refusesToken = true
  }

  /// Counts records that were proved elsewhere and left out of the spine.
  ///
  /// - Parameter end: the absolute offset behind the last of them.
  mutating func skipRecords(_ count: Int, endingAt end: Int) {
    elementCount += count
    lastEnd = end
    guard let last = levels.indices.last, levels[last].isRecords else { return }
    levels[last].index += count
  }

  /// Takes one event; false stops the parser.
  mutating func accept(_ event: Event, endingAt end: Int) -> Bool {
    guard take(event, endingAt: end) else { return false }
    guard records != nil, envelope.text.count > limits.siblingBytes else { return true }
    // In an object that may yet turn out to be a record the text is given up instead.
    guard hasRecords else {
      envelope.giveUp()
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

  // An event comes with the end of its token: the first behind the sought byte is its own.
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
      if envelope.isGivenUp { return refuseSiblings(endingAt: end) }
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
    if captures || (closed.isRecords && !envelope.isGivenUp) {
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

  /// The limit that the token which is due meets first, and how many bytes it may have by that: a
  /// string its value, which may stand beside the records.
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

  // The spine's text is kept, but nothing of what stands inside the array of records.
  private var captures: Bool {
    records != nil && !envelope.isGivenUp && !levels.contains(where: \.isRecords)
  }
}

extension Trace {
  /// The path (RFC 6901) of the value that is due or has begun.
  ///
  /// - Parameter behindSeparator: whether the comma or colon that was due has come. Behind a comma a
  ///   key is due, and the member before it is over.
  func pointer(behindSeparator: Bool) -> String {
    let awaitsKey = if case .nextKey = due { behindSeparator } else { false }
    return pointer(next: true, awaitsKey: awaitsKey)
  }

  /// The path of the value read last.
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
        result += "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
      }
    }
    return result
  }
}
