import CFeedScan

extension RecordReader {
  /// Reads the content of the array of records. Returns true if the phase has changed.
  func stepArray() throws(JSONError) -> Bool {
    let isClosed = try split(to: cleanEnd)
    if isClosed {
      try feedEnvelope(to: scanned + 1)
      scanned = consumed
      if plan == nil { phase = .tail } else { leaveContainer() }
      return true
    }
    try rejectIfEndless()
    return false
  }

  /// Throws if the unfinished record is too long.
  func rejectIfEndless() throws(JSONError) {
    if let began {
      try rejectIfTooLong(began, cleanEnd)
    } else if cleanEnd - consumed > options.sliceBytes {
      // A long run of separators, white space or scalars.
      try feedEnvelope(to: cleanEnd)
    }
  }

  // Finds and validates records up to `limit`. Returns true if the array ended at `scanned`.
  private func split(to limit: Int) throws(JSONError) -> Bool {
    while scanned < limit {
      let result = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_split(
          &splitter, buffer.bytes, scanned - buffer.base, limit - buffer.base, marks.baseAddress,
          marks.count, kernel)
      }
      scanned = buffer.base + result.stopped
      try takeMarkedRecords(result.marks)
      if result.closed { return true }
    }
    return false
  }

  /// Validates the records with marked brackets.
  func takeMarkedRecords(_ count: Int) throws(JSONError) {
    pair(count)
    if case .texts = phase { try validateTexts() } else { try validateArrayRecords() }
  }

  // Marks alternate: the start of a record, its end.
  private func pair(_ count: Int) {
    var start = began.map { $0 - buffer.base } ?? -1
    let capacity = count / 2 + 1
    bounds = marks.withUnsafeBufferPointer { marks in
      [Range<Int>](unsafeUninitializedCapacity: capacity) { bounds, found in
        for mark in marks[..<count] {
          if start < 0 {
            start = Int(mark)
          } else {
            (bounds.baseAddress.unsafelyUnwrapped + found).initialize(to: start..<Int(mark) + 1)
            found += 1
            start = -1
          }
        }
      }
    }
    began = start < 0 ? nil : buffer.base + start
  }

  /// Validates the records in `bounds` and the text between them.
  ///
  /// Between two records that one comma and white space separate, the envelope parser would read
  /// `,{}` and return to the same state. Such runs go to the lane alone, which reads the commas.
  private func validateArrayRecords() throws(JSONError) {
    var next = 0
    let isKeyed = plan?.framing == .keyed
    while next < bounds.count {
      let first = bounds[next]
      let isJoined =
        envelopeFollowsRecord && first.count <= limits.recordBytes
        && (isKeyed
          ? isPlainMemberGap(consumed - buffer.base, first.lowerBound)
          : feedscan_is_plain_gap(buffer.bytes, consumed - buffer.base, first.lowerBound))
      if !isJoined {
        try feedEnvelope(to: buffer.base + first.lowerBound)
        if isHeaderNext {
          try feedHeader(first)
          next += 1
          continue
        }
        try feedPlaceholder(first)
        planning.member = nil
      }
      let end = isKeyed ? joinedMembersEnd(from: next) : joinedEnd(from: next)
      let skipped = end - next - (isJoined ? 0 : 1)
      let last = bounds[end - 1]
      envelopeParser.trace.skipRecords(
        skipped, endingAt: buffer.base + last.upperBound,
        key: isKeyed && skipped > 0 ? memberKey(of: last) : nil)
      // Members are parsed one by one, so nothing has to join them.
      try validate(
        bounds[next..<end],
        firstRecord: recordIndex(ofElement: envelopeParser.trace.elementCount - (end - next)),
        isJoined: isJoined || isKeyed)
      consumed = buffer.base + bounds[end - 1].upperBound
      envelopeFollowsRecord = true
      next = end
    }
  }

  // The end of the run of records that only a comma and white space separate.
  private func joinedEnd(from first: Int) -> Int {
    let text = buffer.bytes
    let limit = limits.recordBytes
    return bounds.withUnsafeBufferPointer { bounds in
      var end = first + 1
      while end < bounds.count, bounds[end].count <= limit,
        feedscan_is_plain_gap(text, bounds[end - 1].upperBound, bounds[end].lowerBound)
      {
        end += 1
      }
      return end
    }
  }

  private func joinedMembersEnd(from first: Int) -> Int {
    var end = first + 1
    while end < bounds.count, bounds[end].count <= limits.recordBytes,
      isPlainMemberGap(bounds[end - 1].upperBound, bounds[end].lowerBound)
    {
      end += 1
    }
    return end
  }

  private func feedPlaceholder(_ record: Range<Int>) throws(JSONError) {
    let start = buffer.base + record.lowerBound
    if record.count > limits.recordBytes { try rejectLong(start) }
    do {
      try envelopeParser.feedPlaceholder(
        byte(at: start), from: start, to: buffer.base + record.upperBound - 1)
    } catch {
      throw located(error, record: nil, prefix: "")
    }
  }

  /// Passes the bytes up to `limit` to the envelope parser.
  func feedEnvelope(to limit: Int) throws(JSONError) {
    guard limit > consumed else { return }
    let chunk = UnsafeBufferPointer(
      start: buffer.bytes + (consumed - buffer.base), count: limit - consumed)
    do {
      try envelopeParser.feed(chunk, at: consumed)
    } catch {
      // Scalars before the fault are reported first.
      try takeNonRecordElements()
      throw located(error, record: nil, prefix: "")
    }
    try takeNonRecordElements()
    if plan != nil { passEnvelope(chunk) }
    consumed = limit
    scanned = max(scanned, limit)
    envelopeFollowsRecord = false
    if plan?.framing == .keyed { try trackMember() }
  }

  private func takeNonRecordElements() throws(JSONError) {
    guard !envelopeParser.trace.nonRecordElements.isEmpty else { return }
    if plan != nil { try validateScalars() } else { try rejectNonRecordElements() }
  }

  // Scalars in place of records are valid JSON, so the fault is a schema error.
  private func rejectNonRecordElements() throws(JSONError) {
    guard framing == .records else { return }
    let nonRecordElements = envelopeParser.trace.nonRecordElements
    envelopeParser.trace.nonRecordElements = []
    try drain()
    for element in nonRecordElements {
      let start = Self.tokenStart(after: element.from, in: buffer.window)
      let fault = TracingParser.Fault(
        kind: .schema, reason: "expected a record, an object", byteOffset: start,
        pointer: element.pointer)
      let raw = UnsafeRawBufferPointer(
        start: buffer.bytes + (start - buffer.base), count: element.end - start)
      try consumer.reject(located(fault, record: element.index, prefix: ""), raw: raw.bytes)
    }
  }

  /// Throws if the unfinished record from `start` on has more bytes than a record may have.
  func rejectIfTooLong(_ start: Int, _ end: Int) throws(JSONError) {
    if end - start > limits.recordBytes { try rejectLong(start) }
  }

  func rejectLong(_ start: Int) throws(JSONError) {
    // The bytes read so far are validated first: an earlier fault wins.
    let end = start + limits.recordBytes
    let index: Int
    if case .texts = phase {
      index = textCount
      try validatePartial(from: start, to: end, record: index)
    } else {
      index = try validateUnfinished(from: start, to: end).record
    }
    throw longRecord(at: start, record: index)
  }

  func longRecord(at start: Int, record: Int) -> JSONError {
    located(
      TracingParser.Fault(
        kind: .limit, reason: limits.message(for: \.recordBytes), byteOffset: start, pointer: ""),
      record: record, prefix: prefix(of: record, at: start - buffer.base, in: buffer.window))
  }

  /// Validates the text before an unfinished record of the array, and the record's first bytes.
  ///
  /// - Returns: the parser after these bytes, and the record's index.
  func validateUnfinished(
    from start: Int, to end: Int
  ) throws(JSONError) -> (parser: TracingParser, record: Int) {
    try feedEnvelope(to: start)
    let index = recordIndex(ofElement: envelopeParser.trace.elementCount)
    do {
      try envelopeParser.feedPlaceholder(byte(at: start), from: start, to: start)
    } catch {
      throw located(error, record: nil, prefix: "")
    }
    return (try validatePartial(from: start, to: end, record: index), index)
  }

  /// Validates the first bytes of an unfinished record.
  @discardableResult
  func validatePartial(from start: Int, to end: Int, record: Int) throws(JSONError) -> TracingParser
  {
    let parser = TracingParser(limits: limits, baseDepth: baseDepth)
    let chunk = UnsafeBufferPointer(start: buffer.bytes + (start - buffer.base), count: end - start)
    do throws(TracingParser.Fault) {
      try parser.feed(chunk, at: start)
      if let fault = parser.pendingFault() { throw fault }
    } catch {
      let prefix = prefix(of: record, at: start - buffer.base, in: buffer.window)
      throw located(error, record: record, prefix: prefix)
    }
    return parser
  }
}
