import CFeedScan

// Values that follow one another without a container, each a text of its own.
extension RecordReader {
  /// An unfinished token that is not a string must have a fault if it exceeds the maximum length of
  /// a number by more than this many bytes.
  private static let tokenSlack = 16

  /// Processes complete values.
  func stepTexts() throws(JSONError) {
    while scanned < cleanEnd {
      let result = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_split(
          &splitter, buffer.bytes, scanned - buffer.base, cleanEnd - buffer.base,
          marks.baseAddress, marks.count, kernel)
      }
      scanned = buffer.base + result.stopped
      try takeMarkedRecords(result.marks)
      if result.closed {
        // No value begins with a closing bracket, so the token of this one is rejected.
        try validateGap(to: scanned + 1 - buffer.base)
        splitter = feedscan_splitter()
        scanned = max(scanned + 1, consumed)
      }
    }
    try takeTextRest()
  }

  /// Validates the containers in `bounds`, and the scalars before and between them.
  func validateTexts() throws(JSONError) {
    var texts: [Range<Int>] = []
    texts.reserveCapacity(bounds.count)
    var from = consumed - buffer.base
    for value in bounds {
      appendScalars(in: from..<value.lowerBound, to: &texts)
      texts.append(value)
      from = value.upperBound
    }
    try validate(texts: texts)
    consumed = buffer.base + from
  }

  /// Handles the bytes after the last complete container.
  func takeTextRest() throws(JSONError) {
    if let began {
      try validateGap(to: began - buffer.base)
      return try rejectIfTooLong(began, cleanEnd)
    }
    var texts: [Range<Int>] = []
    let rest = appendScalars(
      in: consumed - buffer.base..<buffer.clean, to: &texts, isCut: true)
    try validate(texts: texts)
    consumed = buffer.base + rest
    guard consumed < cleanEnd else { return }
    try rejectIfTooLong(consumed, cleanEnd)
    if byte(at: consumed) != 0x22, cleanEnd - consumed > limits.numberBytes + Self.tokenSlack {
      try validatePartial(from: consumed, to: cleanEnd, record: textCount)
    }
  }

  /// Ends a document of such values.
  func endTexts() throws(JSONError) {
    guard let began else { return try validateGap(to: buffer.count) }
    let parser = try validatePartial(from: began, to: buffer.end, record: textCount)
    throw endFault(of: parser, from: began, record: textCount)
  }

  /// Validates the first bytes of the value in which input validation has stopped. Returns nil if
  /// there is none.
  func validateUnfinishedText() throws(JSONError) -> TracingParser? {
    let start = began ?? consumed
    guard start < cleanEnd else { return nil }
    return try validatePartial(from: start, to: cleanEnd, record: textCount)
  }

  /// Validates the scalars up to an offset in the buffer, before which the last of them ends.
  private func validateGap(to end: Int) throws(JSONError) {
    var texts: [Range<Int>] = []
    appendScalars(in: consumed - buffer.base..<end, to: &texts)
    try validate(texts: texts)
    consumed = buffer.base + end
  }

  private func validate(texts: [Range<Int>]) throws(JSONError) {
    let long = texts.firstIndex { $0.count > limits.recordBytes }
    let sound = texts[..<(long ?? texts.endIndex)]
    if !sound.isEmpty {
      let first = textCount
      textCount += sound.count
      try validate(sound, firstRecord: first, isJoined: true)
    }
    if let long { try rejectLong(buffer.base + texts[long].lowerBound) }
  }

  /// Appends the ranges of the tokens in a gap between containers: scalars, and invalid text that
  /// will be rejected.
  ///
  /// - Parameter isCut: true if more bytes follow, so that the last token may be unfinished.
  /// - Returns: the start of the unfinished token, or the end of the gap.
  @discardableResult
  private func appendScalars(
    in gap: Range<Int>, to texts: inout [Range<Int>], isCut: Bool = false
  ) -> Int {
    var start = gap.lowerBound
    while start < gap.upperBound {
      if isBetweenTexts(buffer.bytes[start]) {
        start += 1
        continue
      }
      let end = tokenEnd(from: start, before: gap.upperBound)
      if end == nil, isCut { return start }
      texts.append(start..<(end ?? gap.upperBound))
      start = end ?? gap.upperBound
    }
    return gap.upperBound
  }

  /// The end of the token at an offset in the buffer; nil if it may extend beyond `limit`.
  private func tokenEnd(from start: Int, before limit: Int) -> Int? {
    let bytes = buffer.bytes
    var end = start + 1
    if bytes[start] == 0x22 {
      // A string that has not ended is not searched again.
      let known = planning.unfinished
      if known.start == buffer.base + start { end = max(end, known.searched - buffer.base) }
      while end < limit, bytes[end] != 0x22 { end += bytes[end] == 0x5C ? 2 : 1 }
      planning.unfinished = (buffer.base + start, buffer.base + end)
      return end < limit ? end + 1 : nil
    }
    if isDelimiter(bytes[start]) { return end }
    while end < limit, !isDelimiter(bytes[end]) { end += 1 }
    return end < limit ? end : nil
  }

  private func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D: true
    default: isBetweenTexts(byte)
    }
  }

  private func isBetweenTexts(_ byte: UInt8) -> Bool {
    Self.isSpace(byte) || (byte == 0x1E && plan?.framing == .sequence)
  }
}

// A document that is one record.
extension RecordReader {
  /// Reads the document. Returns true if its value has ended.
  func stepWhole() throws(JSONError) -> Bool {
    // With one byte more than a record may have, a number shows that it is too long.
    let limit = documentStart + limits.recordBytes + 1
    do throws(JSONError) {
      try feedEnvelope(to: min(cleanEnd, limit))
    } catch {
      if hasWholeValue { try validateWhole() }
      throw error
    }
    if hasWholeValue {
      try validateWhole()
      return true
    }
    if consumed >= limit { throw longRecord(at: documentStart, record: 0) }
    return false
  }

  /// Whether the value of the document has ended.
  var hasWholeValue: Bool {
    if case .nothing = envelopeParser.trace.due { true } else { false }
  }

  /// Validates the value of the document as its only record.
  func validateWhole() throws(JSONError) {
    phase = .tail
    let end = envelopeParser.trace.lastEnd
    if end - documentStart > limits.recordBytes {
      throw longRecord(at: documentStart, record: 0)
    }
    let record = documentStart - buffer.base..<end - buffer.base
    try validate([record][...], firstRecord: 0, isJoined: false)
  }
}
