import CFeedScan

/// Reads one document: validates its bytes, splits them into records, validates every record in a
/// lane and the rest in the envelope parser, and passes the records to a consumer in order.
///
/// Bytes arrive in chunks of any size, pushed with ``feed(_:)`` or pulled with
/// ``read(from:progress:)``. Verdicts and positions do not depend on the chunks. Used by one thread.
package final class RecordReader {
  /// How a document is split into records.
  package enum Framing: Sendable {
    /// The records are those of an array, a wrapped array, or lines, or one object.
    case records
    /// The document is one JSON text, which is not split.
    case none
  }

  enum DocumentPhase {
    case start
    /// Inside a top-level object, before its array of records.
    case head
    /// After a top-level object without an array of records.
    case afterHead
    /// Inside the array of records.
    case array
    /// After the array of records.
    case tail
    case lines
    /// In a planned document, before its container of records.
    case plannedHead
    /// After that container, or without one.
    case plannedTail
    /// In values that follow one another without a container.
    case texts
    /// In a document that is one record.
    case whole
    /// In the rest of a rejected line, which is skipped.
    case badLine(JSONError)
    /// A text without records.
    case plain
  }

  let consumer: any RecordConsumer
  let options: JSONOptions
  let limits: JSONLimits
  let framing: Framing
  let file: String
  let kernel: feedscan_kernel
  var buffer: InputBuffer
  var phase = DocumentPhase.start
  var shape: DocumentShape? {
    didSet { if case .planned(let plan) = shape { self.plan = plan } }
  }
  /// The plan of the document, if its consumer has made one.
  private(set) var plan: DocumentPlan?
  var envelopeParser: TracingParser
  var lanes: LaneScheduler?

  // Absolute offsets. The text before `consumed` is validated. The splitter has reached `scanned`.
  // An unfinished record, line or object starts at `began`.
  var consumed = 0
  var scanned = 0
  var began: Int?
  /// The start of the document, after a byte order mark and white space.
  var documentStart = 0
  /// The line and column of the start, for a fault of the whole document that is found after the
  /// start was discarded.
  var documentPosition = InputWindow.Position(line: 1, column: 1, characterColumn: 1)
  /// The offset after a top-level object without an array of records.
  var headEnd = 0
  /// True if the last input of the envelope parser is a record of the array.
  var envelopeFollowsRecord = false
  /// The number of lines with a record, including rejected ones.
  var lineRecords = 0
  // The state of a planned document.
  var planning = Planning()
  /// The number of values that follow one another.
  var textCount = 0
  /// The number of records that the consumer has rejected and skipped, which are valid JSON.
  var rejectedRecords = 0

  var splitter = feedscan_splitter()
  var marks = [UInt32](repeating: 0, count: 4096)
  // The ranges of records in the buffer that have been found and not validated.
  var bounds: [Range<Int>] = []
  var badLine: [UInt8] = []

  /// - Parameters:
  ///   - consumer: receives the records.
  ///   - file: the name of the input in errors.
  ///   - options: how to read the document.
  ///   - framing: how to split it.
  ///   - occurrence: if a plan's container occurs more than once, the number of the one whose
  ///     elements are the records, counted from 1; nil for the first.
  ///   - canReadAgain: false if the input cannot be read again for another occurrence.
  package init(
    consumer: any RecordConsumer, file: String, options: JSONOptions = JSONOptions(),
    framing: Framing = .records, occurrence: Int? = nil, canReadAgain: Bool = true
  ) {
    self.consumer = consumer
    self.file = file
    var options = options
    options.limits = options.limits.clamped
    self.options = options
    kernel = options.kernel
    buffer = InputBuffer(kernel: kernel)
    limits = options.limits
    self.framing = framing
    envelopeParser = TracingParser(limits: options.limits)
    planning.occurrence = occurrence
    planning.canReadAgain = canReadAgain
  }

  /// How the delivered records were validated.
  package internal(set) var validationCounts = ValidationCounts()

  /// The number of bytes read so far.
  package var byteCount: Int { buffer.end }

  /// Reads the next bytes of the document.
  package func feed(_ bytes: borrowing RawSpan) throws(JSONError) {
    var taken = 0
    while taken < bytes.byteCount {
      let rest = bytes.extracting(taken..<bytes.byteCount)
      taken += buffer.append(atMost: rest.byteCount) { space in
        let count = min(space.count, rest.byteCount)
        rest.withUnsafeBytes {
          space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        return count
      }
      try advance(isFinal: false)
    }
  }

  /// Ends the document. Throws if it is incomplete.
  package func finish() throws(JSONError) {
    try advance(isFinal: true)
  }

  func advance(isFinal: Bool) throws(JSONError) {
    do throws(JSONError) {
      try takeBytes(isFinal: isFinal)
      if isFinal {
        try end()
        try drain()
      }
    } catch {
      // Records before the fault may have an earlier one.
      try drain()
      throw error
    }
  }

  private func takeBytes(isFinal: Bool) throws(JSONError) {
    while buffer.clean < buffer.count || isFinal {
      if case .badLine(let error) = phase {
        guard try skipBadLine(error) else { break }
        continue
      }
      if try scanAhead() { continue }
      let verdict = buffer.validate(options.sliceBytes)
      try step()
      if verdict == FEEDSCAN_CLEAN {
        if isFinal, buffer.clean == buffer.count { break }
      } else if verdict == FEEDSCAN_INCOMPLETE {
        // The slice may have cut a character that the buffer holds completely.
        if buffer.count - buffer.clean > 16 { continue }
        guard isFinal else { break }
        try endIncomplete()
      } else if verdict == FEEDSCAN_LONE_SURROGATE, options.loneSurrogates == .replace {
        buffer.replaceSurrogate()
        try step()
      } else {
        try rejectBytes(verdict)
      }
    }
    discard()
  }

  /// Validates and splits in one pass, as far as possible. Returns false if that is not possible from
  /// here, so that input validation and the splitter have to run separately.
  private func scanAhead() throws(JSONError) -> Bool {
    let forLines: Bool
    switch phase {
    case .array, .texts: forLines = false
    case .lines: forLines = true
    default: return false
    }
    guard scanned == cleanEnd else { return false }
    let count = buffer.scan(options.sliceBytes, &splitter, forLines: forLines, &marks)
    guard cleanEnd > scanned else { return false }
    if forLines {
      try takeMarkedLines(count)
      scanned = cleanEnd
      try takeLineStart()
    } else {
      scanned = cleanEnd
      try takeMarkedRecords(count)
      if case .texts = phase { try takeTextRest() } else { try rejectIfEndless() }
    }
    return true
  }

  /// Processes as many of the validated bytes as possible.
  func step() throws(JSONError) {
    while consumed < buffer.base + buffer.clean || scanned < buffer.base + buffer.clean {
      switch phase {
      case .start: guard try stepStart() else { return }
      case .head: guard try stepHead() else { return }
      case .afterHead: guard try stepAfterHead() else { return }
      case .array: guard try stepArray() else { return }
      case .lines: return try stepLines()
      case .plannedHead: guard try stepPlannedHead() else { return }
      case .texts: return try stepTexts()
      case .whole: guard try stepWhole() else { return }
      case .tail, .plain, .plannedTail: return try feedEnvelope(to: cleanEnd)
      case .badLine: return
      }
    }
  }

  /// The absolute offset after the last byte that input validation has accepted.
  var cleanEnd: Int { buffer.base + buffer.clean }

  private func endIncomplete() throws(JSONError) {
    if buffer.bytes[buffer.clean] >= 0x80 { return try rejectBytes(FEEDSCAN_BAD_UTF8) }
    buffer.acceptRest()
    try step()
  }

  private func discard() {
    var keep = min(consumed, scanned)
    if let began { keep = min(keep, began) }
    if let token = envelopeParser.tokenStart { keep = min(keep, token) }
    if case .head = phase { keep = min(keep, documentStart) }
    if case .afterHead = phase { keep = min(keep, documentStart) }
    if case .whole = phase { keep = min(keep, documentStart) }
    if let member = planning.member { keep = min(keep, member.start) }
    buffer.discard(keep - buffer.base)
  }

  private func stepStart() throws(JSONError) -> Bool {
    if consumed == 0, buffer.count >= 3, buffer.bytes[0] == 0xEF, buffer.bytes[1] == 0xBB,
      buffer.bytes[2] == 0xBF
    {
      consumed = 3
    }
    let clean = buffer.window.text(consumed - buffer.base..<buffer.clean)
    consumed += clean.firstIndex { !Self.isSpace($0) } ?? clean.count
    scanned = consumed
    guard consumed < cleanEnd else { return false }
    documentStart = consumed
    documentPosition = buffer.window.position(of: documentStart)
    splitter = feedscan_splitter()
    guard let isPlanned = startByPlan() else { return false }
    if isPlanned { return true }
    switch (framing, byte(at: consumed)) {
    case (.records, 0x5B):
      shape = .array
      envelopeParser = TracingParser(limits: limits, records: .keys([]))
      phase = .array
      try feedEnvelope(to: consumed + 1)
    case (.records, 0x7B):
      let keys = consumer.recordKeys.map { Array($0.utf8) }
      // Without a key, no array has records. An impossible key expresses that.
      envelopeParser = TracingParser(
        limits: limits, records: .keys(keys.isEmpty ? [[0xFF]] : keys))
      phase = .head
      try feedEnvelope(to: consumed + 1)
    default:
      phase = .plain
    }
    scanned = consumed
    return true
  }

  func byte(at offset: Int) -> UInt8 { buffer.bytes[offset - buffer.base] }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// True for bytes that may separate two tokens: white space, a comma, a colon.
  static func isSeparator(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == 0x2C || byte == 0x3A
  }
}
