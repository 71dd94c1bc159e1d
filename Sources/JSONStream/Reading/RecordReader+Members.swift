import CFeedScan

// Records of any type in a planned container: scalars, member values, and the header of rows.
extension RecordReader {
  /// The maximum number of bytes from the start of a member's key to the start of its value: both
  /// stay in the buffer until the value has been read.
  private var memberLimit: Int { limits.recordBytes + 6 * limits.keyBytes + 2 }

  /// True if a gap has only a comma, a key without escapes, a colon and white space. The envelope
  /// parser would return to the same state after the gap and a record's placeholder.
  func isPlainMemberGap(_ from: Int, _ to: Int) -> Bool {
    to - from <= memberLimit
      && feedscan_is_plain_member_gap(buffer.bytes, from, to, limits.keyBytes)
  }

  /// The key of a member whose value is in the buffer, between its quotes.
  func memberKey(of value: Range<Int>) -> UnsafeBufferPointer<UInt8>? {
    MemberKeyScan.range(before: value.lowerBound, in: buffer.bytes).map { buffer.window.text($0) }
  }

  /// True if the first row, which is not a record, is next.
  var isHeaderNext: Bool {
    plan?.framing == .rows && envelopeParser.trace.elementCount == 0
  }

  /// Passes the first row to the envelope parser, and to the consumer as text next to the records.
  func feedHeader(_ header: Range<Int>) throws(JSONError) {
    if header.count > limits.recordBytes { try rejectLong(buffer.base + header.lowerBound) }
    try feedEnvelope(to: buffer.base + header.upperBound)
    planning.envelope.append(buffer.window.text(header), to: consumer)
    planning.envelope.flush(to: consumer)
    envelopeFollowsRecord = true
  }

  /// Validates the scalars that the envelope parser has read in the container of records.
  func validateScalars() throws(JSONError) {
    var elements: [Trace.NonRecordElement] = []
    swap(&elements, &envelopeParser.trace.nonRecordElements)
    var scalars: [Range<Int>] = []
    scalars.reserveCapacity(elements.count)
    var first: Int?
    var fault: JSONError?
    for element in elements {
      let start = Self.tokenStart(after: element.from, in: buffer.window)
      let record = recordIndex(ofElement: element.index)
      let range = start - buffer.base..<element.end - buffer.base
      guard record >= 0 else {
        planning.envelope.append(buffer.window.text(range), to: consumer)
        planning.envelope.flush(to: consumer)
        continue
      }
      let member = element.memberFrom.map { Self.tokenStart(after: $0, in: buffer.window) }
      if range.count > limits.recordBytes {
        fault = longRecord(at: start, record: record)
      } else if let member, start - member > memberLimit {
        fault = longRecord(at: member, record: record)
      }
      if fault != nil { break }
      first = first ?? record
      scalars.append(range)
    }
    if let first {
      // Between scalars that were read together, there are only separators.
      try validate(scalars[...], firstRecord: first, isJoined: plan?.framing == .keyed)
    }
    if let fault { throw fault }
  }

  /// Notes the position of the last key whose value has not been read, so that the buffer keeps it.
  func trackMember() throws(JSONError) {
    guard let from = envelopeParser.trace.memberFrom else {
      planning.member = nil
      return
    }
    let member = planning.member ?? (from, Self.tokenStart(after: from, in: buffer.window))
    let isSame = member.from == from
    let start = isSame ? member.start : Self.tokenStart(after: from, in: buffer.window)
    planning.member = (from, start)
    if (envelopeParser.tokenStart ?? consumed) - start > memberLimit {
      throw longRecord(at: start, record: envelopeParser.trace.elementCount)
    }
  }
}
