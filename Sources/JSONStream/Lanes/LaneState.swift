import CFeedScan
import CYajl

/// The state of a lane's callbacks: the position in the record, and the output.
///
/// The callbacks run millions of times a second, so all state is plain memory: no class is retained
/// and no array is checked for uniqueness. The lane allocates and frees it.
struct LaneState {
  /// No selected value is awaited.
  private static let none: Int32 = -1

  /// The offset of the tape in this struct.
  static var tapeOffset: Int { MemoryLayout<LaneState>.offset(of: \.tape) ?? 0 }

  var tape: TapeStorage
  let keys: KeyTable
  /// Used only by the recording callbacks.
  var recorder: TokenRecorder
  /// Used only if every value is selected.
  var document = DocumentPosition()
  private let nodeStack: UnsafeMutablePointer<Int32>
  private let members: UnsafeMutablePointer<(paths: Range<Int32>, parents: Range<Int32>)>
  private let pathCount: Int32
  let maximumDepth: Int32
  let maximumKey: Int
  let maximumNumber: Int
  let maximumString: Int
  private let maximumElements: Int
  private let duplicateKeys: JSONOptions.DuplicateKeys
  private let reportsOtherKeys: Bool

  private var handle: yajl_handle?
  /// The bytes that the handle reads now.
  var text = ParsedText()
  /// The first excess element, if the rejected record has too long a list.
  private(set) var excessElement: TapeEntry?
  // Brackets open inside the priming one; -1 until that has been read.
  var depth: Int32 = -1
  private(set) var ignored: Int32 = 0
  private(set) var node: Int32 = 0
  private var nodeDepth: Int32 = 0
  // The slot and the child of the last key, until its value has been read.
  private(set) var awaited = none
  private var child: Int32 = 0
  // The child whose key is likely to be next.
  private var expected: Int32 = 0
  // The offset in the chunk after the last key: its value begins there, or after a colon and white
  // space. Zero if the key had to be unescaped.
  private var keyEnd = 0
  private(set) var listSlot = none
  private var elementStart = 0

  init(selection: Selection, options: JSONOptions, baseDepth: Int) {
    let limits = options.limits
    maximumDepth = Int32(clamping: limits.depth - baseDepth)
    maximumKey = limits.keyBytes
    maximumNumber = limits.numberBytes
    maximumString = limits.stringBytes
    maximumElements = limits.listElements
    duplicateKeys = options.duplicateKeys
    reportsOtherKeys = selection.reportsOtherKeys
    keys = KeyTable(selection)
    recorder = TokenRecorder(isDocument: selection.isDocument)
    nodeStack = .allocate(capacity: selection.nodes.count + 1)
    pathCount = Int32(selection.pathCount)
    members = .allocate(capacity: selection.groups.count + 1)
    for (index, group) in selection.groups.enumerated() {
      let paths = Int32(group.members.lowerBound)..<Int32(group.members.upperBound)
      let parents = Int32(group.parents.lowerBound)..<Int32(group.parents.upperBound)
      (members + index).initialize(to: (paths, parents))
    }
    tape = TapeStorage(slotCount: selection.slotCount)
    for path in selection.namedPaths { tape.paths.add(path) }
  }

  func deallocate() {
    tape.deallocate()
    keys.deallocate()
    document.deallocate()
    nodeStack.deallocate()
    members.deallocate()
  }

  /// Prepares for a new handle; for an array, for its priming bracket.
  mutating func begin(_ handle: yajl_handle?, isArray: Bool) {
    self.handle = handle
    depth = isArray ? -1 : 0
    ignored = 0
    awaited = Self.none
    listSlot = Self.none
    keyEnd = 0
  }

  /// Prepares for bytes that a handle reads next.
  mutating func resume(_ handle: yajl_handle, with text: ParsedText) {
    self.handle = handle
    self.text = text
  }

  mutating func open(_ text: feedscan_text, _ records: UnsafeBufferPointer<Range<Int>>) {
    tape.removeAll(records: records.count)
    tape.text = text
    tape.chunkCount = records.last?.upperBound ?? 0
    tape.bounds = records.baseAddress
    tape.boundCount = records.count
    excessElement = nil
  }
}

// Each of these is a callback of YAJL. It returns 1 to continue and 0 to stop.
extension LaneState {
  @inline(__always)
  mutating func startObject() -> CInt {
    depth &+= 1
    if depth > maximumDepth { return 0 }
    if ignored > 0 {
      ignored &+= 1
      return 1
    }
    if depth == 1 { return beginRecord() }
    if listSlot >= 0 {
      ignored = 1
      return element(TapeEntry(.object, length: 0, offset: 0, position: tokenEnd))
    }
    guard awaited >= 0 else {
      ignored = 1
      return 1
    }
    let entered = keys.children[Int(child)].node
    if entered < 0 {
      ignored = 1
      return store(TapeEntry(.object, length: 0, offset: 0, position: valueEnd))
    }
    nodeStack[Int(nodeDepth)] = node
    nodeDepth &+= 1
    node = entered
    return store(TapeEntry(.group, length: 0, offset: 0, position: valueEnd))
  }

  @inline(__always)
  mutating func endObject() -> CInt {
    depth &-= 1
    if depth == 0 { return endRecord() }
    if ignored > 0 {
      ignored &-= 1
      return 1
    }
    nodeDepth &-= 1
    node = nodeStack[Int(nodeDepth)]
    return 1
  }

  @inline(__always)
  mutating func startArray() -> CInt {
    depth &+= 1
    if depth > maximumDepth { return 0 }
    if depth == 0 { return 1 }
    if ignored > 0 {
      ignored &+= 1
      return 1
    }
    if depth == 1 { return beginArrayRecord() }
    if listSlot >= 0 {
      ignored = 1
      return element(TapeEntry(.array, length: 0, offset: 0, position: tokenEnd))
    }
    guard awaited >= 0 else {
      ignored = 1
      return 1
    }
    guard keys.children[Int(child)].isList else {
      ignored = 1
      return store(TapeEntry(.array, length: 0, offset: 0, position: valueEnd))
    }
    listSlot = awaited
    awaited = Self.none
    elementStart = tape.elementCount
    return 1
  }

  @inline(__always)
  mutating func endArray() -> CInt {
    depth &-= 1
    if depth <= 0 { return depth == 0 ? endRecord() : 0 }
    if ignored > 0 {
      ignored &-= 1
      return 1
    }
    // This is the offset of the key's value, because no element has changed it.
    let count = tape.elementCount - elementStart
    tape.row[Int(listSlot)] = TapeEntry(
      .list, length: count, offset: elementStart, position: valueEnd)
    listSlot = Self.none
    return 1
  }

  @inline(__always)
  mutating func key(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if let key = text.take(bytes, length), let chunk = tape.chunk {
      if key.length > maximumKey { return 0 }
      if ignored > 0 { return 1 }
      keyEnd = key.offset &+ key.length &+ 1
      // In the chunk, bytes follow the key, so whole words can be compared.
      let bytes = chunk + key.offset
      if keys.isChild(expected, of: node, bytes, key.length) {
        let found = keys.children + Int(expected)
        child = expected
        expected = found.pointee.next
        awaited = found.pointee.slot
        return duplicateKeys == .last ? 1 : refuseRepeated()
      }
      return lookUp(bytes, key.length, isPadded: true)
    }
    if length > maximumKey { return 0 }
    if ignored > 0 { return 1 }
    keyEnd = 0
    return lookUp(bytes, length, isPadded: false)
  }

  @inline(never)
  private mutating func lookUp(
    _ bytes: UnsafePointer<UInt8>, _ length: Int, isPadded: Bool
  ) -> CInt {
    let found = keys.child(of: node, bytes, length, isPadded: isPadded)
    guard found >= 0 else {
      awaited = Self.none
      if reportsOtherKeys { reportKey(bytes, length) }
      return 1
    }
    // This key may follow the previous one again.
    keys.children[Int(child)].next = found
    child = found
    expected = keys.children[Int(found)].next
    awaited = keys.children[Int(found)].slot
    return duplicateKeys == .last ? 1 : refuseRepeated()
  }

  // A key that already has a value: the second value is ignored.
  @inline(never)
  private mutating func refuseRepeated() -> CInt {
    guard tape.row[Int(awaited)].kind != .absent else { return 1 }
    let slot = awaited
    awaited = Self.none
    if duplicateKeys == .error, tape.row[Int(slot)].kind != .repeated {
      tape.row[Int(slot)] = TapeEntry(.repeated, length: 0, offset: 0, position: tokenEnd)
    }
    return 1
  }

  @inline(__always)
  mutating func string(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    let span = text.take(bytes, length)
    if span?.length ?? length > maximumString { return 0 }
    guard isWanted else { return depth > 0 ? 1 : scalarRecord(.string) }
    guard let span else { return unescaped(bytes, length) }
    return put(
      TapeEntry(.string, length: span.length, offset: span.offset, position: span.offset &- 1))
  }

  // The bytes are in a buffer of YAJL that is valid until this callback returns.
  @inline(never)
  private mutating func unescaped(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    let offset = tape.appendToArena(bytes, length)
    return put(
      TapeEntry(
        .string, flags: FEEDSCAN_IN_ARENA, length: length, offset: offset, position: tokenEnd))
  }

  @inline(__always)
  mutating func number(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumNumber { return 0 }
    guard isWanted else { return depth > 0 ? 1 : scalarRecord(.number) }
    // No number is the first token of a part, and YAJL has no other token in a buffer.
    guard let offset = text.offset(of: bytes) else { return 0 }
    return put(TapeEntry(.number, length: length, offset: offset, position: offset))
  }

  @inline(__always)
  mutating func literal(_ kind: TapeEntry.Kind) -> CInt {
    guard isWanted else { return depth > 0 ? 1 : scalarRecord(kind) }
    return put(
      TapeEntry(kind, length: 0, offset: 0, position: listSlot >= 0 ? tokenEnd : valueEnd))
  }

  /// True if the value just read is selected.
  @inline(__always)
  private var isWanted: Bool { ignored == 0 && (awaited >= 0 || listSlot >= 0) }

  @inline(__always)
  private mutating func put(_ entry: TapeEntry) -> CInt {
    listSlot >= 0 ? element(entry) : store(entry)
  }

  /// Writes the awaited value.
  @inline(__always)
  private mutating func store(_ entry: TapeEntry) -> CInt {
    let slot = awaited
    awaited = Self.none
    if slot >= pathCount, tape.row[Int(slot)].kind != .absent { resetMembers(of: slot) }
    tape.row[Int(slot)] = entry
    return 1
  }

  // A parent object is repeated, so the values of the first one are reset.
  @inline(never)
  private func resetMembers(of slot: Int32) {
    let absent = TapeEntry(.absent, length: 0, offset: 0, position: 0)
    let (paths, parents) = members[Int(slot - pathCount)]
    for member in paths { tape.row[Int(member)] = absent }
    for member in parents { tape.row[Int(member)] = absent }
  }

  @inline(__always)
  private mutating func element(_ entry: TapeEntry) -> CInt {
    if tape.elementCount &- elementStart >= maximumElements {
      excessElement = entry
      return 0
    }
    // The rare call is last, so that the common path saves no registers.
    return tape.appendElement(entry) ? 1 : growAndAppend(entry)
  }

  @inline(never)
  mutating func growAndAppend(_ entry: TapeEntry) -> CInt {
    tape.growElements()
    return tape.appendElement(entry) ? 1 : 0
  }

  @inline(__always)
  private mutating func beginRecord() -> CInt {
    // There is a row after that of the last record, so it can be written; its end is rejected.
    tape.beginRecord()
    node = 0
    nodeDepth = 0
    awaited = Self.none
    keyEnd = 0
    return 1
  }

  @inline(never)
  private mutating func beginArrayRecord() -> CInt {
    _ = beginRecord()
    ignored = 1
    tape.row[tape.slotCount - 1] = TapeEntry(.array, length: 0, offset: 0, position: tokenEnd)
    return 1
  }

  @inline(never)
  mutating func scalarRecord(_ kind: TapeEntry.Kind) -> CInt {
    guard let bounds = tape.bounds, tape.recordCount < tape.boundCount else { return 0 }
    _ = beginRecord()
    let isText = kind == .string || kind == .number
    let position = isText ? bounds[tape.recordCount].lowerBound : tokenEnd
    tape.row[tape.slotCount - 1] = TapeEntry(kind, length: 0, offset: 0, position: position)
    return endRecord()
  }

  @inline(__always)
  mutating func endRecord() -> CInt {
    ignored = 0
    let index = tape.recordCount
    // The splitter and YAJL must agree on where a record ends.
    guard let bounds = tape.bounds, index < tape.boundCount,
      bounds[index].upperBound == tokenEnd
    else { return 0 }
    tape.endRecord()
    return 1
  }

  /// The offset in the chunk after the token just read.
  @inline(__always)
  var tokenEnd: Int {
    guard let handle else { return 0 }
    return text.shift &+ yajl_get_bytes_consumed(handle)
  }

  /// The same, or the offset after the preceding key, which saves a call of YAJL.
  @inline(__always)
  var valueEnd: Int { keyEnd > 0 ? keyEnd &+ 1 : tokenEnd }
}
