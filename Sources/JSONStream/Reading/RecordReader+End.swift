import CFeedScan

extension RecordReader {
  /// Brackets open around a record.
  var baseDepth: Int {
    switch shape {
    case .array: 1
    case .wrapped: 2
    case .planned(let plan): plan.hasContainer ? plan.path.count + 1 : 0
    case .lines, .single, nil: 0
    }
  }

  /// The path to a record in its document.
  ///
  /// - Parameters:
  ///   - start: its offset in the window.
  ///   - window: the bytes of the record and, if it is a member, of its key.
  func prefix(of record: Int, at start: Int, in window: InputWindow) -> String {
    switch shape {
    case .array: "/\(record)"
    case .wrapped(let key):
      "/" + key.jsonPointerEscaped + "/\(record)"
    case .planned(let plan):
      switch plan.framing {
      case .array: plan.pointer + "/\(record)"
      case .rows: plan.pointer + "/\(record + 1)"
      case .keyed: plan.pointer + memberPointer(before: start, in: window)
      case .lines, .concatenated, .sequence, .single: ""
      }
    case .lines, .single, nil: ""
    }
  }

  private func memberPointer(before start: Int, in window: InputWindow) -> String {
    guard let key = MemberKeyScan.range(before: start, in: window.bytes) else { return "" }
    let quoted = UnsafeRawBufferPointer(window.text(key.lowerBound - 1..<key.upperBound + 1))
    let text = (try? JSONTree(parsing: quoted.bytes))?.string
    return "/" + (text ?? String(decoding: window.text(key), as: UTF8.self)).jsonPointerEscaped
  }

  /// The fields next to the records, as minified JSON with an empty array of records, and the
  /// offset between its brackets. Nil unless the document is a wrapped array.
  package var envelope: (text: [UInt8], insertion: Int)? {
    guard case .some(.wrapped) = shape, let insertion = envelopeParser.trace.envelope.insertion
    else {
      return nil
    }
    return (envelopeParser.trace.envelope.text, insertion)
  }

  /// The shape of the document, once it is known.
  package var documentShape: DocumentShape? { shape }

  /// Handles the end of the input.
  func end() throws(JSONError) {
    switch phase {
    case .start:
      if try planAtEnd() { return try end() }
      guard shape == nil else { break }
      throw located(
        TracingParser.Fault(
          kind: .truncated, reason: "the input is empty, a JSON value is missing",
          byteOffset: buffer.end, pointer: ""), record: nil, prefix: "")
    case .plannedHead, .plannedTail: try endContainer()
    case .texts: try endTexts()
    case .whole:
      try finishEnvelope()
      try validateWhole()
    case .array: try endInsideArray()
    case .head: try finishEnvelope()
    case .tail:
      try finishEnvelope()
      if let shape, let envelope {
        let count = envelopeParser.trace.elementCount
        try rejectFailedAnswer(envelope.text, shape, recordCount: count)
      }
    case .plain:
      try finishEnvelope()
      if framing == .records { throw scalarDocument }
    case .afterHead:
      try finishEnvelope()
      try validateSingle()
    case .lines:
      scanned = buffer.end
      try takeLine(to: buffer.end)
      try validateLines()
    case .badLine(let error): try endBadLine(error)
    }
    if framing == .records, lanes == nil { try selectWithoutRecord() }
  }

  private func endInsideArray() throws(JSONError) {
    guard let start = began else {
      try feedEnvelope(to: buffer.end)
      return try finishEnvelope()
    }
    let (parser, record) = try validateUnfinished(from: start, to: buffer.end)
    throw endFault(of: parser, from: start, record: record)
  }

  /// The fault of a record that the end of the input has cut.
  func endFault(of parser: TracingParser, from start: Int, record: Int) -> JSONError {
    let prefix = prefix(of: record, at: start - buffer.base, in: buffer.window)
    do throws(TracingParser.Fault) {
      try parser.finish(at: buffer.end)
    } catch {
      return located(error, record: record, prefix: prefix)
    }
    return located(parser.endFault(at: buffer.end), record: record, prefix: prefix)
  }

  func finishEnvelope() throws(JSONError) {
    do {
      try envelopeParser.finish(at: buffer.end)
    } catch {
      throw located(error, record: nil, prefix: "")
    }
  }

  private var scalarDocument: JSONError {
    located(
      TracingParser.Fault(
        kind: .shape, reason: "expected records: an array, an object or lines of objects",
        byteOffset: documentStart, pointer: ""), record: nil, prefix: "")
  }

  private func validateSingle() throws(JSONError) {
    shape = .single
    try rejectLongHead(headEnd)
    let range = documentStart - buffer.base..<headEnd - buffer.base
    bounds = [range]
    // A longer object reports no failure.
    let object = range.count <= Self.maximumFailedAnswer ? Array(buffer.window.text(range)) : []
    do throws(JSONError) {
      try validate(bounds[...], firstRecord: 0, isJoined: false)
      try drain()
    } catch {
      if [.schema, .shape].contains(error.kind) {
        try rejectFailedAnswer(object, .single, recordCount: 0)
      }
      throw error
    }
    if rejectedRecords > 0 { try rejectFailedAnswer(object, .single, recordCount: 0) }
  }

  private static let maximumFailedAnswer = 64 << 10

  /// Throws if the document is an answer in which a service reports that it failed. Without this
  /// check such an answer would be a feed without records.
  private func rejectFailedAnswer(
    _ object: [UInt8], _ shape: DocumentShape, recordCount: Int
  ) throws(JSONError) {
    let reason = consumer.failure(
      reportedBy: object.span.bytes, shape, recordCount: recordCount)
    guard let reason else { return }
    throw located(
      TracingParser.Fault(
        kind: .failedAnswer, reason: reason, byteOffset: documentStart, pointer: ""),
      record: nil, prefix: "")
  }

  // A document without records has a kind too, if the caller named it.
  private func selectWithoutRecord() throws(JSONError) {
    guard let shape,
      case .unknown(let reason) = consumer.select(shape, sample: nil, depth: limits.depth)
    else { return }
    throw located(
      TracingParser.Fault(
        kind: .shape, reason: reason, byteOffset: documentStart, pointer: ""),
      record: nil, prefix: "")
  }

  /// Reports the byte that input validation has rejected. The text before it is validated first: an
  /// earlier fault wins.
  func rejectBytes(_ verdict: feedscan_verdict) throws(JSONError) {
    let offset = cleanEnd
    var pointer = ""
    var record: Int?
    switch phase {
    case .array where began != nil:
      let (parser, index) = try validateUnfinished(from: began ?? offset, to: offset)
      record = index
      pointer =
        prefix(of: index, at: (began ?? offset) - buffer.base, in: buffer.window) + parser.pointer
    case .start where consumed < offset:
      // The plan is made from the bytes before the fault.
      try planBeforeFault()
      return try rejectBytes(verdict)
    case .texts:
      let parser = try validateUnfinishedText()
      record = parser == nil ? nil : textCount
      pointer = parser?.pointer ?? ""
    case .lines:
      return try rejectLineBytes(verdict)
    case .badLine:
      // The line is rejected already, so these bytes are not read.
      return
    case .afterHead where isHeadALine:
      enterLines()
      try step()
      return try rejectBytes(verdict)
    default:
      try feedEnvelope(to: offset)
      if let fault = envelopeParser.pendingFault() { throw located(fault, record: nil, prefix: "") }
      pointer = envelopeParser.pointer
    }
    throw inputError(verdict, at: offset, record: record, pointer: pointer)
  }

  private func rejectLineBytes(_ verdict: feedscan_verdict) throws(JSONError) {
    let start = began ?? scanned
    let error: JSONError
    do throws(JSONError) {
      let parser = try validatePartial(from: start, to: cleanEnd, record: lineRecords)
      error = inputError(
        verdict, at: cleanEnd, record: lineRecords, pointer: parser.pointer)
    } catch let earlier {
      error = earlier
    }
    try beginBadLine(error)
  }

  private func inputError(
    _ verdict: feedscan_verdict, at offset: Int, record: Int?, pointer: String
  ) -> JSONError {
    let fault: TracingParser.Fault
    switch verdict {
    case FEEDSCAN_BAD_UTF8:
      fault = TracingParser.Fault(
        kind: .encoding, reason: "not UTF-8: \(PendingToken.name(byte(at: offset)))",
        byteOffset: offset, pointer: pointer)
    case FEEDSCAN_BAD_CONTROL:
      let name = byte(at: offset) == 0x0C ? "a form feed" : "a vertical tab"
      fault = TracingParser.Fault(
        kind: .syntax, reason: "\(name) is not allowed in JSON", byteOffset: offset,
        pointer: pointer)
    default:
      fault = TracingParser.Fault(
        kind: .surrogate, reason: "half of a surrogate pair", byteOffset: offset,
        pointer: pointer)
    }
    return located(fault, record: record, prefix: "")
  }
}
