/// Finds the first records of a document whose plan is known.
struct RecordSampler {
  typealias Found = RecordsFinder.Found

  /// The record separator of RFC 7464.
  static let separator: UInt8 = 0x1E

  /// Whether the head is the whole document.
  let isComplete: Bool

  // MARK: Containers

  /// The elements or members of a container.
  func elements(_ head: RawSpan, _ container: ContainerTrace.Container) -> Found {
    var path: [String] = []
    for key in container.path { path.append(key.string(in: head)) }
    let isArray = container.form != .keyed && container.form != .object
    return elements(
      head, of: isArray ? .array : .object, at: path, from: container.range.lowerBound)
  }

  /// The elements of an array or the members of an object that begins at an offset.
  func elements(
    _ head: RawSpan, of kind: JSONCursor.Kind, at path: [String], from start: Int
  ) -> Found {
    var found = Found(plan: DocumentPlan(kind == .object ? .keyed : .array, at: path))
    found.container = kind
    var cursor = JSONCursor(head, at: start)
    guard cursor.enter() != nil else { return found }
    if kind == .object {
      sampleMembers(&cursor, &found)
      return found
    }
    if let columns = columns(head, from: start) {
      found.plan.framing = .rows
      found.columns = columns
      guard cursor.nextElement() != nil, cursor.skipValue() != nil else { return found }
    }
    while cursor.nextElement() != nil {
      guard take(&cursor, &found) else { return found }
    }
    found.hasAllRecords = !cursor.isStopped
    return found
  }

  private func sampleMembers(_ cursor: inout JSONCursor, _ found: inout Found) {
    while let key = cursor.nextKey() {
      guard take(&cursor, &found) else { return }
      found.keys.append(key)
    }
    found.hasAllRecords = !cursor.isStopped
  }

  /// Adds the value that follows to the sample. Returns false if the sample is full or the head has
  /// ended.
  private func take(_ cursor: inout JSONCursor, _ found: inout Found) -> Bool {
    guard found.records.count < RecordsFinder.maximumSamples,
      let range = completeValue(&cursor)
    else { return false }
    found.records.append(range)
    return true
  }

  /// Skips a value. Returns nil if the head ends inside it, or if it may continue after the head.
  private func completeValue(_ cursor: inout JSONCursor) -> Range<Int>? {
    guard let kind = cursor.nextKind(), let range = cursor.skipValue() else { return nil }
    let isDelimited = kind.isContainer || kind == .string
    return isDelimited || isComplete || range.upperBound < cursor.bytes.byteCount ? range : nil
  }

  // MARK: Headers

  /// The names of columns, if the first element of an array has them: distinct strings, followed by
  /// at least two rows and nothing but rows of that length.
  private func columns(_ head: RawSpan, from start: Int) -> [String]? {
    var cursor = JSONCursor(head, at: start)
    guard cursor.enter() != nil, cursor.nextElement() == .array,
      let names = Self.names(&cursor)
    else { return nil }
    var rowCount = 0
    while cursor.nextElement() != nil {
      let count = Self.elementCount(&cursor)
      if cursor.isStopped { break }
      guard count == names.count else { return nil }
      rowCount += 1
    }
    return rowCount >= Self.minimumRows ? names : nil
  }

  /// A longer array of strings is a record.
  private static let maximumColumns = 4096
  /// Rows that a header needs after it.
  private static let minimumRows = 2

  /// Consumes an array of distinct strings.
  private static func names(_ cursor: inout JSONCursor) -> [String]? {
    guard cursor.nextKind() == .array, cursor.enter() != nil else { return nil }
    var names: [String] = []
    while cursor.nextElement() != nil {
      guard names.count < maximumColumns, let name = cursor.nextString() else { return nil }
      names.append(name.string(in: cursor.bytes))
    }
    guard !cursor.isStopped, !names.isEmpty, Set(names).count == names.count else { return nil }
    return names
  }

  /// Consumes an array and counts its elements; nil for another value, and if the head ends in it.
  private static func elementCount(_ cursor: inout JSONCursor) -> Int? {
    guard cursor.nextKind() == .array, cursor.enter() != nil else { return nil }
    var count = 0
    while cursor.nextElement() != nil {
      guard cursor.skipValue() != nil else { return nil }
      count += 1
    }
    return cursor.isStopped ? nil : count
  }

  // MARK: Values

  /// The document itself.
  func single(_ head: RawSpan) -> Found {
    var found = Found(plan: DocumentPlan(.single))
    var cursor = JSONCursor(head)
    found.container = cursor.nextKind()
    if let range = completeValue(&cursor) {
      found.records = [range]
      found.hasAllRecords = isComplete
    }
    return found
  }

  /// Values that follow one another.
  func concatenated(_ head: RawSpan) -> Found {
    var found = Found(plan: DocumentPlan(.concatenated))
    var cursor = JSONCursor(head)
    while cursor.peek() != nil {
      guard take(&cursor, &found) else { return found }
    }
    found.hasAllRecords = isComplete && !cursor.isStopped
    return found
  }

  /// Values that each follow a record separator (RFC 7464).
  func sequence(_ head: RawSpan) -> Found {
    var found = Found(plan: DocumentPlan(.sequence))
    var position = 0
    while position < head.byteCount {
      let byte = head.byte(at: position)
      position += 1
      guard byte == Self.separator else { continue }
      let end = Self.offset(of: Self.separator, in: head, from: position) ?? head.byteCount
      // The last text may continue after the head.
      guard isComplete || end < head.byteCount else { return found }
      if let range = Self.onlyValue(in: head, position..<end) {
        guard found.records.count < RecordsFinder.maximumSamples else { return found }
        found.records.append(range)
      }
      position = end
    }
    found.hasAllRecords = isComplete
    return found
  }

  /// One value per line. Skips a line that is not one value.
  func lines(_ head: RawSpan) -> Found {
    var found = Found(plan: DocumentPlan(.lines))
    var start = 0
    // One more than the sample, for a header.
    while start < head.byteCount, found.records.count <= RecordsFinder.maximumSamples {
      let end = Self.offset(of: 0x0A, in: head, from: start)
      guard end != nil || isComplete else { break }
      if let range = Self.onlyValue(in: head, start..<(end ?? head.byteCount)) {
        found.records.append(range)
      }
      start = (end ?? head.byteCount) + 1
    }
    found.hasAllRecords = isComplete && start >= head.byteCount
    if let columns = columns(head, lines: found.records) {
      found.columns = columns
      found.records.removeFirst()
    }
    if found.records.count > RecordsFinder.maximumSamples {
      found.records.removeLast()
      found.hasAllRecords = false
    }
    return found
  }

  private func columns(_ head: RawSpan, lines: [Range<Int>]) -> [String]? {
    guard let first = lines.first else { return nil }
    var cursor = JSONCursor(head, at: first.lowerBound)
    guard let columns = Self.names(&cursor) else { return nil }
    for line in lines.dropFirst() {
      var cursor = JSONCursor(head, at: line.lowerBound)
      guard Self.elementCount(&cursor) == columns.count else { return nil }
    }
    return lines.count > Self.minimumRows ? columns : nil
  }

  /// The value that fills a range except for white space; nil if other bytes are in the range.
  private static func onlyValue(in head: RawSpan, _ range: Range<Int>) -> Range<Int>? {
    let text = head.extracting(range)
    var cursor = JSONCursor(text)
    guard let value = cursor.skipValue(), cursor.peek() == nil else { return nil }
    return value.lowerBound + range.lowerBound..<value.upperBound + range.lowerBound
  }

  private static func offset(
    of byte: UInt8, in head: borrowing RawSpan, from start: Int
  ) -> Int? {
    var offset = start
    while offset < head.byteCount {
      if head.byte(at: offset) == byte { return offset }
      offset += 1
    }
    return nil
  }
}
