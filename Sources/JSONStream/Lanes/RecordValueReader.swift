import CFeedScan

/// Reads the values of a record from its text, which a lane has validated.
///
/// It serves records of very many values, of which the tape has only the first.
struct RecordValueReader {
  private let chunk: UnsafePointer<UInt8>
  private var place: Int
  private let end: Int
  private var position = DocumentPosition()
  /// A copy: every path of the record already has a number.
  private var paths: PathTable
  private var hasBegun = false
  /// Whether the next string is a key.
  private var awaitsKey = false

  /// - Parameters:
  ///   - record: the range of an object or array in the chunk.
  ///   - paths: the paths of the lane that has validated it.
  init(_ chunk: UnsafePointer<UInt8>, _ record: Range<Int>, _ paths: PathTable) {
    (self.chunk, place, end) = (chunk, record.lowerBound, record.upperBound)
    self.paths = paths
  }

  func deallocate() { position.deallocate() }

  /// The next entry that the tape of the record has or would have; nil after the last one.
  ///
  /// The text is valid, so a string is closed and a literal is complete.
  mutating func next() -> TapeEntry? {
    while place < end {
      let byte = chunk[place]
      switch byte {
      case 0x7B, 0x5B:
        if let entry = open(isArray: byte == 0x5B) { return entry }
      case 0x7D, 0x5D: return close()
      case 0x22:
        if let entry = string() { return entry }
      case 0x2C:
        place += 1
        awaitsKey = position.isInObject
      case 0x3A, 0x20, 0x09, 0x0A, 0x0D: place += 1
      case 0x74: return scalar(.true, place + 4)
      case 0x66: return scalar(.false, place + 5)
      case 0x6E: return scalar(.null, place + 4)
      default: return scalar(.number, numberEnd)
      }
    }
    return nil
  }

  /// Nil for the record itself, which is no value.
  private mutating func open(isArray: Bool) -> TapeEntry? {
    awaitsKey = !isArray
    place += 1
    guard hasBegun else {
      hasBegun = true
      position.begin(isArray: isArray)
      return nil
    }
    let path = position.valuePath(&paths)
    position.push(path, isArray: isArray)
    return TapeEntry(isArray ? .array : .object, path, place - 1..<place)
  }

  /// Nil at the end of the record.
  private mutating func close() -> TapeEntry? {
    let path = position.pop()
    awaitsKey = false
    place += 1
    return position.isOpen ? TapeEntry(.end, path, place - 1..<place) : nil
  }

  /// Nil for a key.
  private mutating func string() -> TapeEntry? {
    let start = place + 1
    var isEscaped = false
    place = start
    while place < end, chunk[place] != 0x22 {
      if chunk[place] == 0x5C {
        isEscaped = true
        place += 1
      }
      place += 1
    }
    let close = min(place, end)
    place = close + 1
    guard awaitsKey else {
      return TapeEntry(
        .string, flags: isEscaped ? FEEDSCAN_ESCAPED : 0, path: position.valuePath(&paths),
        length: close - start, offset: start, position: start - 1)
    }
    awaitsKey = false
    let raw = UnsafeBufferPointer(start: chunk + start, count: close - start)
    if isEscaped {
      let text = JSONCursor.Text(0..<raw.count, isEscaped: true)
      let key = text.decoded(in: UnsafeRawBufferPointer(raw).bytes)
      key.withUnsafeBufferPointer { position.take($0, &paths) }
    } else {
      position.take(raw, &paths)
    }
    return nil
  }

  private mutating func scalar(_ kind: TapeEntry.Kind, _ valueEnd: Int) -> TapeEntry {
    let span = place..<min(max(valueEnd, place + 1), end)
    place = span.upperBound
    return TapeEntry(kind, position.valuePath(&paths), span)
  }

  /// Where the number at the place ends: it has none of the other characters.
  private var numberEnd: Int {
    var last = place
    while last < end {
      switch chunk[last] {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: last += 1
      default: return last
      }
    }
    return last
  }
}

extension RecordTape {
  /// The number of values of a part.
  private static var partCount: Int { 4096 }

  /// Passes the values of a record on that its tape has not, in parts: see `isCut`.
  ///
  /// - Parameter body: receives the entries of a part, and the number of values before it.
  package func forEachPart(
    afterCutOf record: Int, _ body: (UnsafeBufferPointer<TapeEntry>, _ before: Int) -> Void
  ) {
    guard let chunk = storage.pointee.chunk else { return }
    var reader = RecordValueReader(chunk, rawRange(of: record), storage.pointee.paths)
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
