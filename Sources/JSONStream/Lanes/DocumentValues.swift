import CFeedScan

/// Where a lane is in a record whose values are all selected.
///
/// It is plain memory, like the rest of a lane's state. The lane allocates and frees it.
struct DocumentPosition {
  private struct Container {
    var path: UInt16
    var isArray: Bool
  }

  private var open: UnsafeMutablePointer<Container>
  private var capacity = 32
  private var depth = 0
  /// The path of the last key.
  fileprivate var keyPath = PathTable.root
  /// The offset in the chunk after the last token.
  fileprivate var lastEnd = 0
  /// The index of the record's first value among the tape's elements.
  fileprivate var firstElement = 0
  /// The offset in the chunk after the record's first bracket.
  fileprivate var start = 0

  /// Whether a value has been left out because the record has too many.
  fileprivate var isCut = false

  /// Whether a container is open.
  var isOpen: Bool { depth > 0 }
  /// Whether the innermost container is an object.
  var isInObject: Bool { depth > 0 && !open[depth &- 1].isArray }

  init() { open = .allocate(capacity: capacity) }

  func deallocate() { open.deallocate() }

  /// Begins a record whose values follow those on the tape.
  @inline(__always)
  fileprivate mutating func beginValues(at element: Int) {
    firstElement = element
    isCut = false
  }

  @inline(__always)
  mutating func begin(isArray: Bool) {
    depth = 0
    push(PathTable.root, isArray: isArray)
  }

  @inline(__always)
  mutating func push(_ path: UInt16, isArray: Bool) {
    if depth == capacity { grow() }
    open[depth] = Container(path: path, isArray: isArray)
    depth &+= 1
  }

  /// Closes the innermost container and returns its path. YAJL closes only open ones.
  @inline(__always)
  mutating func pop() -> UInt16 {
    guard depth > 0 else { return PathTable.root }
    depth &-= 1
    return open[depth].path
  }

  /// The path of a value that begins now.
  @inline(__always)
  func valuePath(_ paths: inout PathTable) -> UInt16 {
    guard depth > 0 else { return PathTable.root }
    let container = open[depth &- 1]
    return container.isArray ? paths.element(of: container.path) : keyPath
  }

  /// Takes a key of the innermost container.
  @inline(__always)
  mutating func take(_ key: UnsafeRawBufferPointer, _ ends: KeyEnds, _ paths: inout PathTable) {
    guard depth > 0 else { return }
    keyPath = paths.child(of: open[depth &- 1].path, key: key, ends: ends)
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Container>.allocate(capacity: 2 * capacity)
    larger.update(from: open, count: depth)
    open.deallocate()
    open = larger
    capacity *= 2
  }
}

// The callbacks of YAJL for a lane that selects every value. Each value becomes an element of the
// record's list, with its path and the span of its token. They return 1 to continue and 0 to stop.
extension LaneState {
  /// The maximum number of values of a record on the tape. More would take many times the memory of
  /// the text.
  static var maximumValues: Int { Int(FEEDSCAN_RECORD_VALUES) }

  @inline(__always)
  mutating func documentStart(isArray: Bool) -> CInt {
    depth &+= 1
    if depth > maximumDepth { return 0 }
    // The bracket that primes a handle belongs to no record.
    if depth == 0 { return 1 }
    let end = tokenEnd
    document.lastEnd = end
    if depth == 1 {
      document.begin(isArray: isArray)
      document.beginValues(at: tape.elementCount)
      document.start = end
      tape.beginRecord()
      // The last slot marks a record that is not an object.
      if isArray {
        tape.row[tape.slotCount - 1] = TapeEntry(.array, length: 0, offset: 0, position: end)
      }
      return 1
    }
    let path = document.valuePath(&tape.paths)
    document.push(path, isArray: isArray)
    return append(TapeEntry(isArray ? .array : .object, path, end &- 1..<end))
  }

  @inline(__always)
  mutating func documentEnd() -> CInt {
    depth &-= 1
    if depth <= 0 { return depth == 0 ? endDocument() : 0 }
    let end = tokenEnd
    document.lastEnd = end
    return append(TapeEntry(.end, document.pop(), end &- 1..<end))
  }

  @inline(__always)
  private mutating func endDocument() -> CInt {
    let count = tape.elementCount &- document.firstElement
    // Whether a record is cut does not depend on the size of the buffer.
    let isCut = document.isCut || count > Self.maximumValues
    if isCut { tape.removeElements(from: document.firstElement &+ Self.maximumValues) }
    tape.row[0] = TapeEntry(
      .list, flags: isCut ? FEEDSCAN_CUT : 0,
      length: tape.elementCount &- document.firstElement, offset: document.firstElement,
      position: document.start)
    return endRecord()
  }

  @inline(__always)
  mutating func documentKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    guard let span = text.take(bytes, length), let chunk = tape.chunk else {
      return escapedKey(bytes, length)
    }
    if span.length > maximumKey { return 0 }
    document.lastEnd = span.offset &+ span.length &+ 1
    let key = UnsafeRawBufferPointer(start: chunk + span.offset, count: span.length)
    // Readable bytes follow the chunk.
    document.take(key, KeyEnds(padded: chunk + span.offset, span.length), &tape.paths)
    return 1
  }

  // The key is in a buffer of YAJL that is valid until this callback returns.
  @inline(never)
  private mutating func escapedKey(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumKey { return 0 }
    document.lastEnd = tokenEnd
    let key = UnsafeRawBufferPointer(start: bytes, count: length)
    document.take(key, KeyEnds(key), &tape.paths)
    return 1
  }

  @inline(__always)
  mutating func documentString(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    let span = text.take(bytes, length)
    if span?.length ?? length > maximumString { return 0 }
    guard depth > 0 else { return documentScalar(.string) }
    let path = document.valuePath(&tape.paths)
    guard let span else { return escapedString(path) }
    document.lastEnd = span.offset &+ span.length &+ 1
    return append(
      TapeEntry(
        .string, path: path, length: span.length, offset: span.offset,
        position: span.offset &- 1))
  }

  // The entry refers to the string as it is written, since YAJL has unescaped a copy.
  @inline(never)
  private mutating func escapedString(_ path: UInt16) -> CInt {
    let end = tokenEnd
    let start = firstByte(from: document.lastEnd, to: end)
    document.lastEnd = end
    return append(
      TapeEntry(
        .string, flags: FEEDSCAN_ESCAPED, path: path, length: end - start - 2, offset: start + 1,
        position: start))
  }

  @inline(__always)
  mutating func documentNumber(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumNumber { return 0 }
    guard depth > 0 else { return documentScalar(.number) }
    // No number inside a record is the first token of a part, so YAJL has it in no buffer.
    guard let offset = text.offset(of: bytes) else { return 0 }
    document.lastEnd = offset &+ length
    return append(
      TapeEntry(.number, document.valuePath(&tape.paths), offset..<offset &+ length))
  }

  @inline(__always)
  mutating func documentLiteral(_ kind: TapeEntry.Kind) -> CInt {
    guard depth > 0 else { return documentScalar(kind) }
    let end = tokenEnd
    document.lastEnd = end
    let length = kind == .false ? 5 : 4
    return append(TapeEntry(kind, document.valuePath(&tape.paths), end &- length..<end))
  }

  /// Ends a record that is a scalar, and appends it as the only value of its list.
  @inline(never)
  private mutating func documentScalar(_ kind: TapeEntry.Kind) -> CInt {
    guard let bounds = tape.bounds, tape.recordCount < tape.boundCount else { return 0 }
    let span = bounds[tape.recordCount]
    guard scalarRecord(kind) == 1 else { return 0 }
    document.beginValues(at: tape.elementCount)
    // The record has ended, and the row in progress is the next one's.
    (tape.row - tape.slotCount)[0] = TapeEntry(
      .list, length: 1, offset: tape.elementCount, position: span.upperBound)
    guard kind == .string else { return append(TapeEntry(kind, PathTable.root, span)) }
    let text = span.lowerBound + 1..<span.upperBound - 1
    let isEscaped = UnsafeBufferPointer(start: tape.chunk, count: text.upperBound)[text]
      .contains(0x5C)
    return append(
      TapeEntry(
        .string, flags: isEscaped ? FEEDSCAN_ESCAPED : 0, path: PathTable.root,
        length: text.count, offset: text.lowerBound, position: span.lowerBound))
  }

  @inline(__always)
  private mutating func append(_ entry: TapeEntry) -> CInt {
    // The rare call is last, so that the common path saves no registers.
    tape.appendElement(entry) ? 1 : appendOrCut(entry)
  }

  @inline(never)
  private mutating func appendOrCut(_ entry: TapeEntry) -> CInt {
    document.isCut =
      document.isCut || tape.elementCount &- document.firstElement >= Self.maximumValues
    return document.isCut ? 1 : growAndAppend(entry)
  }
}

extension feedscan_tape_entry {
  /// A value that is not a string, with its path and the span of its token.
  @inline(__always)
  init(_ kind: Kind, _ path: UInt16, _ span: Range<Int>) {
    self.init(
      kind, path: path, length: span.count, offset: span.lowerBound, position: span.lowerBound)
  }
}
