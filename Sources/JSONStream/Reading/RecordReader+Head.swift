import CFeedScan

extension RecordReader {
  /// Reads a top-level object up to its array of records. Returns true if the phase has changed.
  ///
  /// Only the envelope parser knows keys with their escapes decoded. The splitter finds each
  /// bracket that opens in the object itself; the envelope parser decides whether it opens the
  /// records.
  func stepHead() throws(JSONError) -> Bool {
    let limit = min(cleanEnd, headLimit)
    while scanned < limit {
      let result = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_split(
          &splitter, buffer.bytes, scanned - buffer.base, limit - buffer.base,
          marks.baseAddress, marks.count, kernel)
      }
      for mark in marks[..<result.marks] where buffer.bytes[Int(mark)] == 0x5B {
        try feedEnvelope(to: buffer.base + Int(mark) + 1)
        if envelopeParser.trace.hasRecords {
          enterArray()
          return true
        }
      }
      scanned = buffer.base + result.stopped
      if result.closed {
        try feedEnvelope(to: scanned + 1)
        headEnd = consumed
        scanned = consumed
        phase = .afterHead
        return true
      }
    }
    try feedEnvelope(to: limit)
    try rejectLongHead(cleanEnd)
    return false
  }

  // Until its end, an object may be a record, so the buffer keeps all of it, up to the limit of a
  // record.
  private var headLimit: Int { documentStart + limits.recordBytes }

  private func enterArray() {
    phase = .array
    shape = .wrapped(key: String(decoding: envelopeParser.trace.recordKey ?? [], as: UTF8.self))
    splitter = feedscan_splitter()
    scanned = consumed
    envelopeFollowsRecord = false
  }

  /// Throws if the first object of the document extends to `end` and exceeds the limit of a record.
  func rejectLongHead(_ end: Int) throws(JSONError) {
    guard end > headLimit else { return }
    var reason = "no array of records begins in the first \(limits.recordBytes) bytes of an object"
    if case .afterHead = phase {
      reason = "an object and the white space behind it have more than \(limits.recordBytes) bytes"
    }
    throw located(
      TracingParser.Fault(
        kind: .limit,
        reason: reason
          + ", and one record may not be longer (raise it with --max-record-bytes)",
        byteOffset: documentStart, pointer: ""),
      record: nil, prefix: "")
  }

  /// Handles the text after a complete object. If a line feed and another value follow, the object
  /// is the first of many lines. If the input ends, it is the only record. Other text is a fault.
  func stepAfterHead() throws(JSONError) -> Bool {
    let limit = min(cleanEnd, headLimit + options.sliceBytes)
    while scanned < limit, Self.isSpace(byte(at: scanned)) { scanned += 1 }
    consumed = scanned
    guard scanned < limit else {
      // The buffer keeps the white space after the object too, so the limit applies to both.
      if limit < cleanEnd { try rejectLongHead(scanned) }
      return false
    }
    guard isHeadALine else {
      phase = .tail
      return true
    }
    enterLines()
    return true
  }

  /// True if a line feed separates the top-level object from the text after it.
  var isHeadALine: Bool {
    let gap = headEnd - buffer.base..<scanned - buffer.base
    return gap.contains { buffer.bytes[$0] == 0x0A }
  }

  /// Treats the document as lines and reads it again from its start.
  func enterLines(as shape: DocumentShape = .lines) {
    self.shape = shape
    phase = .lines
    envelopeParser = TracingParser(limits: limits)
    consumed = documentStart
    scanned = documentStart
    began = documentStart
  }
}
