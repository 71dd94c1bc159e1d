import CYajl

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a lane's callbacks know: where they stand in the record, and where to write.
///
/// The callbacks run millions of times a second, so everything here is plain memory: no class is
/// retained, no array is checked for uniqueness. The lane allocates and frees it.
struct LaneState {
  /// Nothing selected is awaited.
  static let none: Int32 = -1

  /// Where the tape lies in this struct.
  static var tapeOffset: Int { MemoryLayout<LaneState>.offset(of: \.tape) ?? 0 }

  var tape = TapeStorage()
  private let keys: KeyTable
  private let nodeStack: UnsafeMutablePointer<Int32>
  private let maximumDepth: Int32
  private let maximumKey: Int
  private let maximumNumber: Int
  private let maximumString: Int
  private let maximumElements: Int

  private var handle: yajl_handle?
  /// True once a record has been read, so that a comma is due before the next.
  private(set) var isJoined = false
  /// True if the record that was refused has too long a list.
  private(set) var metListLimit = false
  private var chunkStart = 0
  // Brackets open inside the priming one; -1 until that has been read.
  private var depth: Int32 = -1
  private var ignored: Int32 = 0
  private var node: Int32 = 0
  private var nodeDepth: Int32 = 0
  private var awaited = none
  // The offset in the chunk behind the key read last: the value that follows begins there, or
  // behind a colon and white space. Meaningless if the key had to be unescaped.
  private var valuePlace = 0
  private var listSlot = none
  private var elements = 0

  init(selection: Selection, limits: JSONLimits, baseDepth: Int) {
    maximumDepth = Int32(clamping: limits.depth - baseDepth)
    maximumKey = limits.keyBytes
    maximumNumber = limits.numberBytes
    maximumString = limits.stringBytes
    maximumElements = limits.listElements
    keys = KeyTable(selection)
    nodeStack = .allocate(capacity: selection.nodes.count + 1)
  }

  func deallocate() {
    tape.deallocate()
    keys.deallocate()
    nodeStack.deallocate()
  }

  /// Prepares for the priming bracket of a new handle.
  mutating func prime(_ handle: yajl_handle?) {
    self.handle = handle
    isJoined = false
    depth = -1
    ignored = 0
    listSlot = Self.none
    elements = 0
    valuePlace = 0
  }

  mutating func open(chunk: UnsafePointer<UInt8>, records: UnsafeBufferPointer<Range<Int>>) {
    tape.removeAll(records: records.count)
    tape.chunk = chunk
    tape.chunkCount = records.last?.upperBound ?? 0
    tape.bounds = records.baseAddress
    tape.boundCount = records.count
    chunkStart = records.first?.lowerBound ?? 0
    metListLimit = false
  }
}

// Each of these is a callback of YAJL's; 1 says go on, 0 says stop.
extension LaneState {
  @inline(__always)
  mutating func startObject() -> CInt {
    depth += 1
    if depth > maximumDepth { return 0 }
    if ignored > 0 {
      ignored += 1
      return 1
    }
    if depth == 1 {
      node = 0
      nodeDepth = 0
      awaited = Self.none
      valuePlace = 0
      return 1
    }
    if listSlot >= 0 {
      ignored = 1
      elements += 1
      return write(UInt16(truncatingIfNeeded: listSlot), .object)
    }
    guard awaited >= 0 else {
      ignored = 1
      return 1
    }
    let child = keys.children[Int(awaited)]
    awaited = Self.none
    if child.node < 0 {
      ignored = 1
      return write(child.slot, .object)
    }
    nodeStack[Int(nodeDepth)] = node
    nodeDepth += 1
    node = child.node
    return write(child.slot, .group)
  }

  @inline(__always)
  mutating func endObject() -> CInt {
    depth -= 1
    if depth == 0 { return endRecord() }
    if ignored > 0 {
      ignored -= 1
      return 1
    }
    nodeDepth -= 1
    node = nodeStack[Int(nodeDepth)]
    return 1
  }

  @inline(__always)
  mutating func startArray() -> CInt {
    depth += 1
    if depth > maximumDepth { return 0 }
    if depth == 0 { return 1 }
    if ignored > 0 {
      ignored += 1
      return 1
    }
    if depth == 1 {
      ignored = 1
      valuePlace = 0
      return write(Selection.recordSlot, .array)
    }
    if listSlot >= 0 {
      ignored = 1
      elements += 1
      return write(UInt16(truncatingIfNeeded: listSlot), .array)
    }
    guard awaited >= 0 else {
      ignored = 1
      return 1
    }
    let child = keys.children[Int(awaited)]
    awaited = Self.none
    guard child.isList else {
      ignored = 1
      return write(child.slot, .array)
    }
    listSlot = Int32(child.slot)
    elements = 0
    return write(child.slot, .listStart)
  }

  @inline(__always)
  mutating func endArray() -> CInt {
    depth -= 1
    if depth <= 0 { return depth == 0 ? endRecord() : 0 }
    if ignored > 0 {
      ignored -= 1
      return 1
    }
    let slot = UInt16(truncatingIfNeeded: listSlot)
    listSlot = Self.none
    return write(slot, .listEnd)
  }

  @inline(__always)
  mutating func key(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumKey { return 0 }
    if ignored > 0 { return 1 }
    awaited = keys.child(of: node, bytes, length)
    valuePlace = chunkOffset(bytes) + length + 1
    return 1
  }

  @inline(__always)
  mutating func string(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumString { return 0 }
    guard let slot = takeSlot() else { return depth > 0 ? 1 : 0 }
    let start = chunkOffset(bytes)
    if start >= 0, start < tape.chunkCount {
      return write(slot, .string, length: length, offset: start, place: start - 1)
    }
    // Unescaped into a buffer of YAJL's that lives until this callback returns.
    let offset = tape.appendToArena(bytes, length)
    return write(slot, .string, length: length, offset: offset, isInArena: true, place: tokenEnd)
  }

  @inline(__always)
  mutating func number(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> CInt {
    if length > maximumNumber { return 0 }
    guard let slot = takeSlot() else { return depth > 0 ? 1 : 0 }
    // A number never spans chunks here, so its digits are where they were read.
    let start = chunkOffset(bytes)
    guard start >= 0, start < tape.chunkCount else { return 0 }
    return write(slot, .number, length: length, offset: start, place: start)
  }

  @inline(__always)
  mutating func literal(_ kind: TapeEntry.Kind) -> CInt {
    guard let slot = takeSlot() else { return depth > 0 ? 1 : 0 }
    return write(slot, kind)
  }

  /// The slot that the value just read belongs to, if anybody wants it.
  @inline(__always)
  private mutating func takeSlot() -> UInt16? {
    if ignored > 0 { return nil }
    if listSlot >= 0 {
      elements += 1
      return UInt16(truncatingIfNeeded: listSlot)
    }
    guard awaited >= 0 else { return nil }
    let slot = keys.children[Int(awaited)].slot
    awaited = Self.none
    return slot
  }

  @inline(__always)
  private mutating func endRecord() -> CInt {
    ignored = 0
    isJoined = true
    let index = tape.recordCount
    // The splitter and YAJL must agree where a record ends, or neither is believed.
    guard let bounds = tape.bounds, index < tape.boundCount,
      bounds[index].upperBound == tokenEnd
    else { return 0 }
    tape.endRecord()
    return 1
  }

  /// Where bytes lie in the chunk; out of its bounds if they lie elsewhere.
  @inline(__always)
  private func chunkOffset(_ bytes: UnsafePointer<UInt8>) -> Int {
    Int(bitPattern: UInt(bitPattern: bytes) &- UInt(bitPattern: tape.chunk))
  }

  /// The offset in the chunk behind the token just read.
  @inline(__always)
  private var tokenEnd: Int {
    guard let handle else { return 0 }
    return chunkStart + yajl_get_bytes_consumed(handle)
  }

  @inline(__always)
  private mutating func write(_ slot: UInt16, _ kind: TapeEntry.Kind) -> CInt {
    // Asking YAJL costs a call; behind a key the place is known, and no list's end is asked for.
    let isKnown =
      kind == .listEnd || (listSlot < 0 && valuePlace > 0 && valuePlace < tape.chunkCount)
    return write(
      slot, kind, length: 0, offset: 0, place: isKnown ? valuePlace + 1 : tokenEnd)
  }

  @inline(__always)
  private mutating func write(
    _ slot: UInt16, _ kind: TapeEntry.Kind, length: Int, offset: Int, isInArena: Bool = false,
    place: Int
  ) -> CInt {
    if elements > maximumElements {
      metListLimit = true
      return 0
    }
    tape.append(
      TapeEntry(
        slot: slot, kind: kind, isInArena: isInArena, length: UInt32(truncatingIfNeeded: length),
        offset: UInt32(truncatingIfNeeded: offset), place: UInt32(truncatingIfNeeded: place)))
    return 1
  }
}
