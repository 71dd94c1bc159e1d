import CFeedScan

extension RecordReader {
  /// Has the records in `bounds[range]` proved and consumed; those that are refused and skipped
  /// are left out.
  func prove(_ range: Range<Int>, firstRecord: Int) throws(JSONError) {
    var next = range.lowerBound
    while next < range.upperBound {
      let record = firstRecord + next - range.lowerBound
      if lane == nil { lane = try openLane(bounds[next], record: record) }
      guard let lane else {
        next += 1
        continue
      }
      let rest = next..<range.upperBound
      let proved = withLinesJoined(rest) {
        bounds.withUnsafeBufferPointer { bounds in
          lane.prove(buffer.bytes, UnsafeBufferPointer(rebasing: bounds[rest]))
        }
      }
      try consume(lane, bounds[rest], firstRecord: record)
      next += proved
      if next < range.upperBound {
        try refuse(bounds[next], record: record + proved)
        next += 1
      }
    }
  }

  /// Asks the consumer what to select, now that the first record is known. Nil if the record
  /// was refused and skipped.
  private func openLane(_ first: Range<Int>, record: Int) throws(JSONError) -> Lane? {
    guard let shape else { return nil }
    let raw = UnsafeRawBufferPointer(start: buffer.bytes + first.lowerBound, count: first.count)
    switch consumer.select(shape, sample: raw.bytes) {
    case .selected(let selection):
      return Lane(selection: selection, limits: limits, baseDepth: baseDepth)
    case .unknown(let reason):
      if let error = diagnose(first, record: record) {
        try reject(first, error)
        return nil
      }
      throw located(
        TracingParser.Fault(
          kind: .shape, reason: reason, byteOffset: buffer.base + first.lowerBound, pointer: ""),
        record: record, prefix: prefix(of: record))
    }
  }

  private func consume(
    _ lane: Lane, _ records: ArraySlice<Range<Int>>, firstRecord: Int
  ) throws(JSONError) {
    try lane.withTape(firstRecord: firstRecord) { (tape) throws(JSONError) in
      var next = 0
      while next < tape.recordCount, let fault = try consumer.consume(tape, from: next) {
        let bounds = records[records.startIndex + fault.record]
        let place = fault.entry.map { tape.entry($0) }
        let error = locate(fault, place, bounds, record: firstRecord + fault.record)
        try consumer.reject(error, raw: tape.rawBytes(of: fault.record))
        next = fault.record + 1
      }
    }
  }

  /// Reports a record that its lane has refused. In an array nobody can say where the next one
  /// begins, so it ends the reading; a line feed says so in lines.
  private func refuse(_ bounds: Range<Int>, record: Int) throws(JSONError) {
    let isLongList = lane?.metListLimit == true
    let error =
      diagnose(bounds, record: record)
      ?? located(
        TracingParser.Fault(
          kind: isLongList ? .limit : .syntax,
          reason: isLongList
            ? "a list is longer than the limit of \(limits.listElements) elements"
            : "the record cannot be proved",
          byteOffset: buffer.base + bounds.lowerBound, pointer: ""),
        record: record, prefix: prefix(of: record))
    try reject(bounds, error)
  }

  private func reject(_ bounds: Range<Int>, _ error: JSONError) throws(JSONError) {
    guard case .some(.lines) = shape else { throw error }
    let raw = UnsafeRawBufferPointer(start: buffer.bytes + bounds.lowerBound, count: bounds.count)
    try consumer.reject(error, raw: raw.bytes)
  }

  /// Proves one record again, tracing it; nil if nothing is wrong with it.
  func diagnose(_ bounds: Range<Int>, record: Int) -> JSONError? {
    let parser = TracingParser(limits: limits, baseDepth: baseDepth)
    let start = buffer.base + bounds.lowerBound
    do throws(TracingParser.Fault) {
      try parser.feed(
        UnsafeBufferPointer(start: buffer.bytes + bounds.lowerBound, count: bounds.count),
        at: start)
      try parser.finish(at: start + bounds.count)
      return nil
    } catch {
      return located(error, record: record, prefix: prefix(of: record))
    }
  }

  /// Finds the token of a value that its consumer refused, and its path.
  private func locate(
    _ fault: RecordFault, _ entry: TapeEntry?, _ bounds: Range<Int>, record: Int
  ) -> JSONError {
    let start = buffer.base + bounds.lowerBound
    var place = TracingParser.Fault(
      kind: .schema, reason: fault.reason, byteOffset: start, pointer: "")
    if let entry {
      let parser = TracingParser(limits: limits, baseDepth: baseDepth)
      parser.trace.sought = buffer.base + entry.tokenByte
      let piece = UnsafeBufferPointer(start: buffer.bytes + bounds.lowerBound, count: bounds.count)
      // The record has been proved; what is sought is in it.
      do { try parser.feed(piece, at: start) } catch { place.pointer = error.pointer }
      if let found = parser.trace.found {
        place.pointer = found.pointer
        place.byteOffset = tokenStart(after: max(found.from, start))
      }
    }
    return located(place, record: record, prefix: prefix(of: record))
  }

  /// The first byte of the token that follows an event which ended at `offset`.
  func tokenStart(after offset: Int) -> Int {
    var start = max(offset, buffer.base)
    while start < cleanEnd {
      let byte = byte(at: start)
      guard Self.isSpace(byte) || byte == 0x2C || byte == 0x3A else { break }
      start += 1
    }
    return start
  }
}
