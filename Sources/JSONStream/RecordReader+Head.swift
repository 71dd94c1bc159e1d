import CFeedScan

extension RecordReader {
  /// Takes what stands in a top-level object before its array of records. True if the phase has
  /// changed.
  ///
  /// The spine alone knows keys, escapes decoded; the splitter finds each bracket that opens in
  /// the object itself, and there the spine is asked whether it was the records'.
  func stepHead() throws(JSONError) -> Bool {
    while scanned < cleanEnd {
      let result = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_split(
          &splitter, buffer.bytes, scanned - buffer.base, cleanEnd - buffer.base,
          marks.baseAddress, marks.count, kernel)
      }
      for mark in marks[..<result.marks] where buffer.bytes[Int(mark)] == 0x5B {
        try feedSpine(to: buffer.base + Int(mark) + 1)
        if spine.trace.hasRecords {
          enterArray()
          return true
        }
      }
      scanned = buffer.base + result.stopped
      if result.closed {
        try feedSpine(to: scanned + 1)
        headEnd = consumed
        scanned = consumed
        phase = .afterHead
        return true
      }
    }
    try feedSpine(to: cleanEnd)
    try refuseLongHead()
    return false
  }

  private func enterArray() {
    phase = .array
    shape = .wrapped(key: String(decoding: spine.trace.recordKey ?? [], as: UTF8.self))
    splitter = feedscan_splitter()
    scanned = consumed
    spineFollowsRecord = false
  }

  // Until its end an object may yet be a record, so all of it is kept.
  private func refuseLongHead() throws(JSONError) {
    guard cleanEnd - documentStart > limits.recordBytes else { return }
    throw located(
      TracingParser.Fault(
        kind: .limit,
        reason: "an object without an array of records is longer than the limit of "
          + "\(limits.recordBytes) bytes", byteOffset: documentStart, pointer: ""),
      record: nil, prefix: "")
  }

  /// Behind a whole object: a line feed and another value make it the first of many lines, the
  /// end of the input makes it the only record, anything else is a fault.
  func stepAfterHead() throws(JSONError) -> Bool {
    while scanned < cleanEnd, Self.isSpace(byte(at: scanned)) { scanned += 1 }
    guard scanned < cleanEnd else {
      consumed = scanned
      try refuseLongHead()
      return false
    }
    let gap = headEnd - buffer.base..<scanned - buffer.base
    guard gap.contains(where: { buffer.bytes[$0] == 0x0A }) else {
      consumed = headEnd
      try feedSpine(to: cleanEnd)
      return false
    }
    shape = .lines
    phase = .lines
    spine = TracingParser(limits: limits)
    consumed = documentStart
    scanned = documentStart
    began = documentStart
    return true
  }
}
