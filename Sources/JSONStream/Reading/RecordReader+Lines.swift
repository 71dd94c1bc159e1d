import CFeedScan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension RecordReader {
  /// The maximum number of bytes of a rejected line that are passed to the consumer.
  private static let maximumBadLineBytes = 1 << 20

  /// Processes complete lines. Each is a record; lines of white space alone are skipped.
  func stepLines() throws(JSONError) {
    while scanned < cleanEnd {
      let found = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_find_lines(
          buffer.bytes, scanned - buffer.base, buffer.clean, marks.baseAddress, marks.count, kernel)
      }
      try takeMarkedLines(found.marks)
      scanned = buffer.base + found.stopped
    }
    try takeLineStart()
  }

  /// Skips white space before a line, and rejects an unfinished line that is too long.
  func takeLineStart() throws(JSONError) {
    // White space before a record is not part of it.
    var start = began ?? scanned
    while start < cleanEnd, Self.isSpace(byte(at: start)) { start += 1 }
    began = start
    // Blank lines need not stay in the buffer.
    if bounds.isEmpty { consumed = max(consumed, start) }
    if cleanEnd - start > limits.recordBytes {
      try beginBadLine(longLineError(start))
    }
  }

  /// Validates the lines with marked ends.
  func takeMarkedLines(_ count: Int) throws(JSONError) {
    var next = 0
    while next < count {
      next = takePlainLines(next..<count)
      if next < count {
        let end = buffer.base + Int(marks[next])
        try takeLine(to: end)
        began = end + 1
        next += 1
      }
      try validateLines()
    }
  }

  /// Adds lines up to one that is not a record or is too long. Returns the index of that line's mark.
  private func takePlainLines(_ range: Range<Int>) -> Int {
    // Local copies, because the reader's properties would be loaded again for each line.
    let (text, limit, takesAny) = (buffer.bytes, limits.recordBytes, plan != nil)
    var start = (began ?? scanned) - buffer.base
    var next = range.lowerBound
    bounds = marks.withUnsafeBufferPointer { marks in
      [Range<Int>](unsafeUninitializedCapacity: range.count) { bounds, found in
        while next < range.upperBound {
          let feed = Int(marks[next])
          var (first, end) = (start, feed)
          while first < end, Self.isSpace(text[first]) { first += 1 }
          if end - first > limit { break }
          while first < end, Self.isSpace(text[end - 1]) { end -= 1 }
          if first < end {
            guard takesAny || text[first] == 0x7B || text[first] == 0x5B else { break }
            (bounds.baseAddress.unsafelyUnwrapped + found).initialize(to: first..<end)
            found += 1
          }
          start = feed + 1
          next += 1
        }
      }
    }
    began = buffer.base + start
    return next
  }

  /// Adds the line from `began` to `end`, to be validated together with other lines.
  func takeLine(to end: Int) throws(JSONError) {
    var start = began ?? scanned
    var end = end
    while start < end, Self.isSpace(byte(at: start)) { start += 1 }
    if end - start > limits.recordBytes {
      try validateLines()
      try drain()
      let raw = UnsafeRawBufferPointer(
        start: buffer.bytes + (start - buffer.base),
        count: min(end - start, Self.maximumBadLineBytes))
      let error = longLineError(start)
      lineRecords += 1
      return try consumer.reject(error, raw: raw.bytes)
    }
    while start < end, Self.isSpace(byte(at: end - 1)) { end -= 1 }
    guard start < end else { return }
    let local = start - buffer.base..<end - buffer.base
    let first = buffer.bytes[local.lowerBound]
    if plan != nil || first == 0x7B || first == 0x5B {
      bounds.append(local)
      return
    }
    // A scalar, or not JSON. Both are rare, so the line is validated separately.
    try validateLines()
    try drain()
    lineRecords += 1
    let raw = UnsafeRawBufferPointer(start: buffer.bytes + local.lowerBound, count: local.count)
    try consumer.reject(scalarLineError(local, record: lineRecords - 1), raw: raw.bytes)
    consumed = end
  }

  private func scalarLineError(_ line: Range<Int>, record: Int) -> JSONError {
    if let error = diagnose(line, in: &buffer.window, record: record) { return error }
    return located(
      TracingParser.Fault(
        kind: .schema, reason: "expected a record, an object",
        byteOffset: buffer.base + line.lowerBound, pointer: ""), record: record, prefix: "")
  }

  /// Validates the lines added so far.
  func validateLines() throws(JSONError) {
    guard !bounds.isEmpty else { return }
    let count = bounds.count
    lineRecords += count
    try validate(bounds[...], firstRecord: lineRecords - count, isJoined: true)
    consumed = buffer.base + bounds[count - 1].upperBound
    bounds.removeAll(keepingCapacity: true)
  }

  // The bytes of the line read so far are validated first: an earlier fault wins.
  private func longLineError(_ start: Int) -> JSONError {
    let record = lineRecords
    do throws(JSONError) {
      try validatePartial(from: start, to: start + limits.recordBytes, record: record)
    } catch {
      return error
    }
    return located(
      TracingParser.Fault(
        kind: .limit, reason: limits.message(for: \.recordBytes), byteOffset: start, pointer: ""),
      record: record, prefix: "")
  }

  /// Starts skipping a line that input validation has rejected. If lines may not be skipped, throws
  /// at once, since the line may have no end.
  func beginBadLine(_ error: JSONError) throws(JSONError) {
    let start = began ?? scanned
    badLine = Array(
      UnsafeBufferPointer(
        start: buffer.bytes + (start - buffer.base),
        count: min(cleanEnd - start, Self.maximumBadLineBytes)))
    scanned = cleanEnd
    consumed = cleanEnd
    began = nil
    phase = .badLine(error)
    guard !consumer.skipsRecords else { return }
    try endBadLine(error)
    throw error
  }

  /// Skips the rest of a rejected line. Returns false if its end has not been read.
  func skipBadLine(_ error: JSONError) throws(JSONError) -> Bool {
    let from = buffer.clean
    let start = buffer.bytes + from
    let feed = memchr(start, 0x0A, buffer.count - from)
    let end = feed.map { from + ($0 - UnsafeMutableRawPointer(start)) } ?? buffer.count
    let space = max(0, Self.maximumBadLineBytes - badLine.count)
    badLine.append(contentsOf: UnsafeBufferPointer(start: start, count: min(space, end - from)))
    buffer.acceptUnread(to: feed == nil ? end : end + 1)
    scanned = cleanEnd
    consumed = cleanEnd
    guard feed != nil else { return false }
    try endBadLine(error)
    return true
  }

  /// Reports the rejected line and continues after it.
  func endBadLine(_ error: JSONError) throws(JSONError) {
    try drain()
    lineRecords += 1
    phase = .lines
    began = scanned
    let raw = badLine
    badLine = []
    try consumer.reject(error, raw: raw.span.bytes)
  }
}
