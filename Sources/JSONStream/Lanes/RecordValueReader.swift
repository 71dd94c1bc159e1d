import CFeedScan

/// Reads the values of a record from its text, which a lane has validated.
///
/// It is used for a record with more values than the tape keeps.
struct RecordValueReader: ~Escapable {
  private var cursor: JSONCursor
  /// Where the text begins in the chunk.
  private let start: Int
  private var position = DocumentPosition()
  /// A copy: every path of the record already has a number.
  private var paths: PathTable

  /// - Parameters:
  ///   - text: an object or array.
  ///   - start: where it begins in the chunk.
  ///   - paths: the paths of the lane that has validated it.
  @_lifetime(copy text)
  init(_ text: RawSpan, at start: Int, _ paths: PathTable) {
    cursor = JSONCursor(text)
    self.start = start
    self.paths = paths
    position.begin(isArray: cursor.enter() == .array)
  }

  func deallocate() { position.deallocate() }

  /// The next entry that an unlimited tape of the record would have; nil after the last one.
  mutating func next() -> TapeEntry? {
    guard position.isOpen else { return nil }
    guard let kind = nextKind() else {
      let path = position.pop()
      return position.isOpen ? entry(.end, path, cursor.position - 1..<cursor.position) : nil
    }
    let path = position.valuePath(&paths)
    if kind.isContainer {
      _ = cursor.enter()
      position.push(path, isArray: kind == .array)
      return entry(TapeEntry.Kind(kind), path, cursor.position - 1..<cursor.position)
    }
    if let text = cursor.nextString() {
      let offset = start + text.range.lowerBound
      return TapeEntry(
        .string, flags: text.isEscaped ? FEEDSCAN_ESCAPED : 0, path: path,
        length: text.range.count, offset: offset, position: offset - 1)
    }
    return cursor.skipValue().map { entry(TapeEntry.Kind(kind), path, $0) }
  }

  /// Moves to the next value of the open container; nil after its last one.
  private mutating func nextKind() -> JSONCursor.Kind? {
    guard position.isInObject else { return cursor.nextElement() }
    guard let key = cursor.nextKey() else { return nil }
    key.decoded(in: cursor.bytes).withUnsafeBytes { position.take($0, KeyEnds($0), &paths) }
    return cursor.nextKind()
  }

  private func entry(_ kind: TapeEntry.Kind, _ path: UInt16, _ span: Range<Int>) -> TapeEntry {
    TapeEntry(kind, path, start + span.lowerBound..<start + span.upperBound)
  }
}

extension feedscan_tape_entry.Kind {
  fileprivate init(_ kind: JSONCursor.Kind) {
    switch kind {
    case .object: self = .object
    case .array: self = .array
    case .string: self = .string
    case .number: self = .number
    case .true: self = .true
    case .false: self = .false
    case .null: self = .null
    }
  }
}

extension RecordTape {
  /// The number of values of a part.
  private static var partCount: Int { 4096 }

  /// Passes the values of a record that are not on its tape to `body`, in parts: see `isCut`.
  ///
  /// - Parameter body: receives the entries of a part, and the number of values before it.
  package func forEachPart(
    afterCutOf record: Int, _ body: (UnsafeBufferPointer<TapeEntry>, _ before: Int) -> Void
  ) {
    var reader = RecordValueReader(
      rawBytes(of: record), at: rawStart(of: record), storage.pointee.paths)
    defer { reader.deallocate() }
    var before = 0
    let onTape = Int(entries(of: record)[0].length)
    while before < onTape, reader.next() != nil { before += 1 }
    var part: [TapeEntry] = []
    part.reserveCapacity(Self.partCount)
    while let entry = reader.next() {
      part.append(entry)
      guard part.count == Self.partCount else { continue }
      part.withUnsafeBufferPointer { body($0, before) }
      before += part.count
      part.removeAll(keepingCapacity: true)
    }
    part.withUnsafeBufferPointer { body($0, before) }
  }
}
