import CFeedScan

extension RecordReader {
  /// Validates records of the buffer and passes them to the consumer, now or later.
  ///
  /// - Parameters:
  ///   - records: their ranges in the buffer.
  ///   - firstRecord: the index of the first of them in the document.
  ///   - isJoined: true if one comma and white space separate the first from the previous record.
  func validate(
    _ records: ArraySlice<Range<Int>>, firstRecord: Int, isJoined: Bool
  ) throws(JSONError) {
    var next = records.startIndex
    while lanes == nil, next < records.endIndex {
      let record = firstRecord + next - records.startIndex
      lanes = try openLanes(records[next], record: record)
      if lanes == nil { next += 1 }
    }
    guard next < records.endIndex else { return }
    try lanes?.add(
      records[next...], in: buffer.window, firstRecord: firstRecord + next - records.startIndex,
      isJoined: isJoined, settle: settle)
  }

  /// Waits for all records that lanes are validating, and settles them.
  func drain() throws(JSONError) { try lanes?.drain(settle: settle) }

  /// Opens the lanes for the consumer's selection, once the first record is known. Returns nil if the
  /// record was rejected and skipped.
  private func openLanes(_ first: Range<Int>, record: Int) throws(JSONError) -> LaneScheduler? {
    guard let shape else { return nil }
    let raw = UnsafeRawBufferPointer(start: buffer.bytes + first.lowerBound, count: first.count)
    switch consumer.select(shape, sample: raw.bytes, depth: limits.depth) {
    case .selected(let selection, let makeContext, let makeBatch):
      let (options, baseDepth, isArray, isApart) = (options, baseDepth, joinsRecords, isApart)
      return LaneScheduler(
        options, shouldContinue: consumer.skipsRecords,
        makeLane: {
          Lane(
            selection: selection, options: options, baseDepth: baseDepth, isArray: isArray,
            isApart: isApart, context: makeContext?())
        }, makeBatch: makeBatch)
    case .nothing: return nil
    case .unknown(let reason):
      if let error = diagnose(first, in: &buffer.window, record: record) {
        try reject(error, raw: buffer.window.text(first))
        return nil
      }
      throw located(
        TracingParser.Fault(
          kind: .shape, reason: reason, byteOffset: buffer.base + first.lowerBound, pointer: ""),
        in: &buffer.window, record: record,
        prefix: prefix(of: record, at: first.lowerBound, in: buffer.window))
    }
  }

  /// True if lanes read the commas between records.
  private var joinsRecords: Bool {
    switch plan?.framing {
    case .array, .rows, .single: true
    case .lines, .concatenated, .sequence, .keyed: false
    case nil: shape != .lines
    }
  }

  /// True if other bytes than white space may separate two records that no comma joins.
  private var isApart: Bool {
    switch plan?.framing {
    case .concatenated, .sequence, .keyed: true
    case .array, .rows, .single, .lines, nil: false
    }
  }

  // Reports the rejected records of a job and delivers the others.
  private func settle(_ job: LaneJob) throws(JSONError) {
    defer { validationCounts += job.counts }
    while true {
      for stop in job.stops {
        do throws(JSONError) {
          try report(stop.issue, stop.record, of: job)
        } catch {
          // Records after the fault do not count.
          job.batch.removeRecords(from: stop.precedingCount)
          try deliver(job)
          throw error
        }
      }
      try deliver(job)
      // The consumer has skipped a record although `skipsRecords` is false.
      guard job.next < job.records.count else { return }
      lanes?.runRest(of: job)
    }
  }

  private func deliver(_ job: LaneJob) throws(JSONError) {
    guard job.batch.deliver() else {
      throw JSONError(.cancelled, "stopped by the caller", file: file)
    }
  }

  private func report(_ issue: LaneJob.Issue, _ index: Int, of job: LaneJob) throws(JSONError) {
    let bounds = job.records[index]
    let record = job.firstRecord + index
    let raw = job.window.text(bounds)
    switch issue {
    case .fault(let fault):
      let error = locate(fault, .schema, bounds, in: &job.window, record: record)
      try consumer.reject(error, raw: UnsafeRawBufferPointer(raw).bytes)
      rejectedRecords += 1
    case .disagreement:
      throw located(
        TracingParser.Fault(
          kind: .internal,
          reason: "replay and YAJL differ on this record (a fault of FeedCore; please report it)",
          byteOffset: job.window.base + bounds.lowerBound, pointer: ""),
        in: &job.window, record: record,
        prefix: prefix(of: record, at: bounds.lowerBound, in: job.window))
    case .refused(let excessElementByte):
      let error =
        diagnose(bounds, in: &job.window, record: record)
        ?? locate(
          RecordFault(
            record: index, tokenByte: excessElementByte,
            reason: excessElementByte == nil
              ? "the record cannot be validated" : limits.message(for: \.listElements)),
          excessElementByte == nil ? .syntax : .limit, bounds, in: &job.window, record: record)
      try reject(error, raw: raw)
    }
  }

  /// Reports a record that is not JSON. In an array the start of the next record is unknown, so
  /// reading ends. In lines the next line feed marks it.
  private func reject(_ error: JSONError, raw: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    guard shape == .lines || plan?.framing == .lines else { throw error }
    try consumer.reject(error, raw: UnsafeRawBufferPointer(raw).bytes)
  }

  /// Validates one record again with the tracing parser. Returns nil if it is valid.
  func diagnose(
    _ bounds: Range<Int>, in window: inout InputWindow, record: Int
  ) -> JSONError? {
    let parser = TracingParser(limits: limits, baseDepth: baseDepth)
    let start = window.base + bounds.lowerBound
    do throws(TracingParser.Fault) {
      try parser.feed(window.text(bounds), at: start)
      try parser.finish(at: start + bounds.count)
      return nil
    } catch {
      let prefix = prefix(of: record, at: bounds.lowerBound, in: window)
      return located(error, in: &window, record: record, prefix: prefix)
    }
  }

  /// Finds the token and the path of a value that is valid JSON but was rejected.
  private func locate(
    _ fault: RecordFault, _ kind: JSONError.Kind, _ bounds: Range<Int>,
    in window: inout InputWindow, record: Int
  ) -> JSONError {
    let start = window.base + bounds.lowerBound
    var located = TracingParser.Fault(
      kind: kind, reason: fault.reason, byteOffset: start, pointer: "")
    if let tokenByte = fault.tokenByte {
      let parser = TracingParser(limits: limits, baseDepth: baseDepth)
      parser.trace.sought = window.base + tokenByte
      // The record is valid JSON and contains the value.
      do { try parser.feed(window.text(bounds), at: start) } catch {
        located.pointer = error.pointer
      }
      if let found = parser.trace.found {
        located.pointer = found.pointer
        located.byteOffset = Self.tokenStart(after: max(found.from, start), in: window)
      }
    }
    let prefix = prefix(of: record, at: bounds.lowerBound, in: window)
    var error = self.located(located, in: &window, record: record, prefix: prefix)
    error.mismatch = fault.mismatch
    return error
  }

  /// The first byte of the token that follows an event which ended at `offset`.
  static func tokenStart(after offset: Int, in window: InputWindow) -> Int {
    var start = max(offset, window.base)
    while start < window.end {
      let byte = window.bytes[start - window.base]
      guard isSeparator(byte) else { break }
      start += 1
    }
    return start
  }

  /// Turns a fault into an error with its location in the file.
  func located(
    _ fault: TracingParser.Fault, in window: inout InputWindow, record: Int?, prefix: String
  ) -> JSONError {
    let isGone = fault.byteOffset == documentStart && documentStart < window.base
    let position = isGone ? documentPosition : window.position(of: fault.byteOffset)
    let excerpt = isGone ? (text: "", caret: 0) : window.excerpt(around: fault.byteOffset)
    return JSONError(
      fault.kind, fault.reason, file: file, byteOffset: fault.byteOffset, line: position.line,
      column: position.column, characterColumn: position.characterColumn,
      record: record.map { $0 + 1 }, pointer: prefix + fault.pointer, excerpt: excerpt.text,
      excerptCaret: excerpt.caret)
  }

  /// The same for a fault in the current window.
  func located(_ fault: TracingParser.Fault, record: Int?, prefix: String) -> JSONError {
    located(fault, in: &buffer.window, record: record, prefix: prefix)
  }
}
