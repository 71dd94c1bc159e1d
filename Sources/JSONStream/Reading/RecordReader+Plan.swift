import CFeedScan

extension DocumentPlan {
  /// True if the records are the elements or members of one array or object.
  var hasContainer: Bool {
    switch framing {
    case .array, .keyed, .rows: true
    case .lines, .concatenated, .sequence, .single: false
    }
  }
}

extension RecordReader {
  /// The state of a planned document.
  struct Planning {
    /// Why the head of the document is shorter than the consumer requested.
    enum HeadEnd { case input, fault }

    var occurrence: Int?
    var canReadAgain = true
    /// True once the consumer was asked for a plan.
    var isDone = false
    var headEnd: HeadEnd?
    /// How many containers around the splitter are on the path to that of the records.
    var openLevels = 0
    /// The last key in the container of records whose value has not been read: the end of the token
    /// before it, and its first byte.
    var member: (from: Int, start: Int)?
    /// The last string between containers, and the offset up to which it has no end.
    var unfinished = (start: -1, searched: 0)
    /// The text outside the container of records.
    var envelope = EnvelopeText()
    /// The bytes between the brackets of the container.
    var records = 0..<0
  }

  /// Asks the consumer for a plan, once it can make one, and starts to follow it.
  ///
  /// - Returns: nil if more bytes are needed; false if there is no plan.
  func startByPlan() -> Bool? {
    let wanted = consumer.planningBytes
    guard !planning.isDone, framing == .records, wanted > 0 else { return false }
    let available = cleanEnd - documentStart
    guard available >= wanted || planning.headEnd != nil else { return nil }
    planning.isDone = true
    let start = documentStart - buffer.base
    let head = UnsafeRawBufferPointer(buffer.window.text(start..<start + min(available, wanted)))
    let isComplete = available < wanted && planning.headEnd == .input
    guard let plan = consumer.plan(head: head.bytes, isComplete: isComplete) else { return false }
    follow(plan)
    return true
  }

  private func follow(_ plan: DocumentPlan) {
    shape = .planned(plan)
    switch plan.framing {
    case .array, .keyed, .rows:
      let container = PlannedContainer(
        path: plan.path.map { Array($0.utf8) }, isArray: plan.framing != .keyed,
        occurrence: planning.occurrence, duplicateKeys: options.duplicateKeys,
        canReadAgain: planning.canReadAgain)
      envelopeParser = TracingParser(limits: limits, records: .container(container))
      phase = .plannedHead
    case .lines: enterLines(as: .planned(plan))
    case .concatenated, .sequence: phase = .texts
    case .single:
      envelopeParser = TracingParser(limits: limits)
      phase = .whole
    }
  }

  /// Makes the plan at the end of an input that is shorter than the consumer requested. Returns
  /// true if reading has begun.
  func planAtEnd() throws(JSONError) -> Bool {
    guard !planning.isDone, framing == .records, consumer.planningBytes > 0 else { return false }
    planning.headEnd = .input
    if consumed < cleanEnd {
      try step()
      return true
    }
    planning.isDone = true
    documentStart = consumed
    documentPosition = buffer.window.position(of: documentStart)
    if let plan = consumer.plan(head: RawSpan(), isComplete: true) { shape = .planned(plan) }
    return false
  }

  /// Makes the plan from the bytes before the first that input validation has rejected.
  func planBeforeFault() throws(JSONError) {
    planning.headEnd = .fault
    try step()
  }

  /// The number of the record that is an element of the container.
  func recordIndex(ofElement element: Int) -> Int {
    plan?.framing == .rows ? element - 1 : element
  }
}

extension RecordReader {
  /// Reads a planned document up to its container of records. Returns true if the phase has changed.
  ///
  /// The splitter finds the brackets that open in an object on the path. The envelope parser reads up
  /// to each of them and decides whether it is the next object on the path, or the container.
  func stepPlannedHead() throws(JSONError) -> Bool {
    while scanned < cleanEnd {
      if planning.openLevels == 0 {
        try feedEnvelope(to: scanned + 1)
        if enterNextLevel() { return true }
        guard planning.openLevels == 1 else {
          phase = .plannedTail
          return true
        }
        continue
      }
      let result = marks.withUnsafeMutableBufferPointer { marks in
        feedscan_split(
          &splitter, buffer.bytes, scanned - buffer.base, cleanEnd - buffer.base,
          marks.baseAddress, marks.count, kernel)
      }
      let levels = planning.openLevels
      for mark in marks[..<result.marks] {
        let byte = buffer.bytes[Int(mark)]
        guard byte == 0x5B || byte == 0x7B else { continue }
        try feedEnvelope(to: buffer.base + Int(mark) + 1)
        if enterNextLevel() { return true }
        if planning.openLevels > levels { break }
      }
      // The marks after the bracket of the next level are those of the level before.
      if planning.openLevels > levels { continue }
      scanned = buffer.base + result.stopped
      if result.closed {
        try feedEnvelope(to: scanned + 1)
        scanned = consumed
        splitter = feedscan_splitter()
        planning.openLevels -= 1
        if planning.openLevels == 0 {
          phase = .plannedTail
          return true
        }
      }
    }
    try feedEnvelope(to: cleanEnd)
    return false
  }

  /// Enters the object on the path, or the container, whose bracket the envelope parser has just
  /// read, if it was one of them. Returns true for the container.
  private func enterNextLevel() -> Bool {
    let hasRecords = envelopeParser.trace.hasRecords
    guard hasRecords || envelopeParser.trace.matchedDepth > planning.openLevels else {
      return false
    }
    splitter = feedscan_splitter()
    scanned = consumed
    planning.openLevels += 1
    if hasRecords {
      phase = .array
      envelopeFollowsRecord = false
      planning.records = consumed..<consumed
      planning.envelope.flush(to: consumer)
    }
    return hasRecords
  }

  /// Continues after the container of records, whose closing bracket has been read.
  func leaveContainer() {
    planning.records = planning.records.lowerBound..<consumed - 1
    planning.member = nil
    planning.envelope.isAfterRecords = true
    let bracket = consumed - 1 - buffer.base
    planning.envelope.append(buffer.window.text(bracket..<bracket + 1), to: consumer)
    phase = .plannedTail
  }

  /// Passes text that the envelope parser has accepted to the consumer, unless it is inside the
  /// container of records.
  func passEnvelope(_ text: UnsafeBufferPointer<UInt8>) {
    switch phase {
    case .plannedHead, .plannedTail: planning.envelope.append(text, to: consumer)
    default: break
    }
  }

  /// Ends a document with a container of records.
  func endContainer() throws(JSONError) {
    try finishEnvelope()
    guard envelopeParser.trace.hasRecords else { throw missingContainer }
    planning.envelope.flush(to: consumer)
  }
}
