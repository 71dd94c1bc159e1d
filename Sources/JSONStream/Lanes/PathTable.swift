#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The paths of a document's values. Named ones are numbered first, and then the others in order of
/// appearance.
///
/// Path 0 is the record itself. Every other path is a key, or any element, below its parent. The
/// table is used for each token of records that YAJL validates. A lookup therefore has no branch
/// that depends on the order of the keys, which differs from record to record. The steps of replay
/// store the numbers.
struct PathTable {
  private struct Edge {
    var parent: UInt16
    /// The path of the elements of this one; 0 for none.
    var element: UInt16 = 0
    /// The bytes of the key; -1 for the elements of an array.
    var count: Int32
    /// Where the key begins in `keys`.
    var keyOffset: Int32
    var ends = KeyEnds()
  }

  static let root: UInt16 = 0
  /// The maximum number of paths; the values of further ones share one number.
  static let maximumCount = 1 << 14
  /// The maximum bytes of the keys of all paths, from the record on. Statistics keep a copy of each
  /// path, and keys are input of any length.
  static let maximumKeyBytes = 4 << 20
  /// The number of all paths beyond a maximum.
  static let other = UInt16(maximumCount)

  private var edges: [Edge] = [Edge(parent: 0, count: -1, keyOffset: 0)]
  private var keys: [UInt8] = []
  private var keyBytes = 0
  /// Paths of keys by their hashes, 0 for none. Its size is a power of two above four times their
  /// number, so that most lookups find their path in the first slot.
  private var slots: [UInt16] = Array(repeating: 0, count: 256)
  /// The bits of a hash below those that select a slot.
  private var hashShift: UInt64 = 64 - 8

  /// Numbers a path and those above it. A nil element means "any element of an array".
  mutating func add(_ path: [[UInt8]?]) {
    var parent = Self.root
    for key in path {
      parent =
        key?.withUnsafeBytes { child(of: parent, key: $0, ends: KeyEnds($0)) }
        ?? element(of: parent)
    }
  }

  /// The number of the path of a key below `parent`.
  @inline(__always)
  mutating func child(
    of parent: UInt16, key: UnsafeRawBufferPointer, ends: KeyEnds
  ) -> UInt16 {
    var slot = firstSlot(of: parent, key, ends)
    while true {
      let path = Int(slots[slot])
      // One branch, since the parts are equal together or differ together. Path 0 has no key.
      let difference =
        UInt64(edges[path].parent ^ parent)
        | UInt64(bitPattern: Int64(edges[path].count) ^ Int64(key.count))
        | edges[path].ends.difference(from: ends)
      if difference == 0, key.count <= KeyEnds.size || hasKey(path, key) {
        return UInt16(truncatingIfNeeded: path)
      }
      if path == 0 { return add(parent, key, ends, at: slot) }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  /// The number of the path of the elements of an array.
  @inline(__always)
  mutating func element(of parent: UInt16) -> UInt16 {
    guard parent != Self.other else { return parent }
    let path = edges[Int(parent)].element
    return path != 0 ? path : addElement(of: parent)
  }

  /// Whether the key of a path equals one of the same length.
  @inline(never)
  private func hasKey(_ path: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    keys.withUnsafeBytes { keys in
      // The bytes of each edge are in `keys`.
      guard let known = keys.baseAddress, let bytes = key.baseAddress else { return false }
      return memcmp(known + Int(edges[path].keyOffset), bytes, key.count) == 0
    }
  }

  @inline(never)
  private mutating func add(
    _ parent: UInt16, _ key: UnsafeRawBufferPointer, _ ends: KeyEnds, at slot: Int
  ) -> UInt16 {
    guard takeSpace(forKeyOf: key.count, below: parent) else { return Self.other }
    let path = UInt16(truncatingIfNeeded: edges.count)
    edges.append(
      Edge(
        parent: parent, count: Int32(truncatingIfNeeded: key.count),
        keyOffset: Int32(truncatingIfNeeded: keys.count), ends: ends))
    keys.append(contentsOf: key)
    slots[slot] = path
    if edges.count * 4 > slots.count { grow() }
    return path
  }

  @inline(never)
  private mutating func addElement(of parent: UInt16) -> UInt16 {
    guard takeSpace(forKeyOf: 0, below: parent) else { return Self.other }
    let path = UInt16(truncatingIfNeeded: edges.count)
    edges.append(Edge(parent: parent, count: -1, keyOffset: 0))
    edges[Int(parent)].element = path
    return path
  }

  /// Counts a new path and its keys. Returns false if it is beyond a maximum.
  private mutating func takeSpace(forKeyOf count: Int, below parent: UInt16) -> Bool {
    guard edges.count < Self.maximumCount, parent != Self.other else { return false }
    var bytes = count
    var next = parent
    while next != Self.root {
      bytes += Int(max(edges[Int(next)].count, 0))
      next = edges[Int(next)].parent
    }
    guard bytes <= Self.maximumKeyBytes - keyBytes else { return false }
    keyBytes += bytes
    return true
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 2)
    hashShift -= 1
    for path in 1..<edges.count where edges[path].count >= 0 {
      let edge = edges[path]
      var slot = keys.withUnsafeBytes { keys in
        let key = keys[Int(edge.keyOffset)..<Int(edge.keyOffset + edge.count)]
        return firstSlot(of: edge.parent, UnsafeRawBufferPointer(rebasing: key), edge.ends)
      }
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt16(truncatingIfNeeded: path)
    }
  }

  /// The first slot to search for a key: the upper bits of its hash.
  ///
  /// Keys are input, so a hostile document can make them collide. It then has at most
  /// ``maximumCount`` paths to compare.
  @inline(__always)
  private func firstSlot(
    of parent: UInt16, _ key: UnsafeRawBufferPointer, _ ends: KeyEnds
  ) -> Int {
    // The products do not depend on one another.
    var hash =
      ends.first &* 0x9E37_79B9_7F4A_7C15 ^ ends.second &* 0xD6E8_FEB8_6659_FD93
      ^ ends.last &* 0xA076_1D64_78BD_642F ^ UInt64(parent) &* 0xE703_7ED1_A0B4_28DB
    if key.count > KeyEnds.size { hash ^= Self.hashOfMiddle(of: key) }
    return Int(truncatingIfNeeded: hash &>> hashShift)
  }

  /// The hash of the bytes between the ends.
  private static func hashOfMiddle(of key: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0
    // The last word ends before the last bytes, or overlaps them.
    for offset in stride(from: 16, to: key.count - 8, by: 8) {
      let word = key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = (hash ^ word) &* 0x8EBC_6AF0_9C88_C6E3
      hash ^= hash &>> 32
    }
    return hash &* 0x9E37_79B9_7F4A_7C15
  }

  /// The keys from the record to a path's values; a nil element means "any element of an array".
  /// Returns nil for a path beyond the table's capacity.
  func keys(to path: UInt16) -> [[UInt8]?]? {
    guard path < edges.count else { return nil }
    var steps: [[UInt8]?] = []
    var next = path
    while next != Self.root {
      let edge = edges[Int(next)]
      let start = Int(edge.keyOffset)
      steps.append(edge.count < 0 ? nil : Array(keys[start..<start + Int(edge.count)]))
      next = edge.parent
    }
    return steps.reversed()
  }

  /// True if every number that both tables have means the same path in both.
  func agrees(with other: PathTable) -> Bool {
    for path in 1..<max(min(edges.count, other.edges.count), 1) {
      let path = UInt16(truncatingIfNeeded: path)
      if edges[Int(path)].parent != other.edges[Int(path)].parent
        || keys(to: path) != other.keys(to: path)
      {
        return false
      }
    }
    return true
  }
}

/// The first 16 bytes of a key and the last 8, with zeros in place of bytes outside the key.
struct KeyEnds {
  /// Keys of at most this many bytes are equal if their ends and their lengths are.
  static let size = 24

  fileprivate private(set) var first: UInt64 = 0
  fileprivate private(set) var second: UInt64 = 0
  fileprivate private(set) var last: UInt64 = 0

  init() {}

  init(_ key: UnsafeRawBufferPointer) {
    first = Self.word(key.prefix(8))
    second = Self.word(key.dropFirst(8).prefix(8))
    last = Self.word(key.suffix(8))
  }

  private static func word(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// - Parameter key: a key of `count` bytes. Any readable bytes follow, up to 16 in all.
  @inline(__always)
  init(padded key: UnsafeRawPointer, _ count: Int) {
    let (first, second) = key.loadUnaligned(as: (UInt64, UInt64).self)
    self.first = UInt64(littleEndian: first) & Self.mask(count)
    self.second = UInt64(littleEndian: second) & Self.mask(count &- 8)
    let last = key.loadUnaligned(fromByteOffset: max(count &- 8, 0), as: UInt64.self)
    self.last = UInt64(littleEndian: last) & Self.mask(count)
  }

  /// Bits of the first `count` bytes of a word. The count may be negative or above 8.
  @inline(__always)
  private static func mask(_ count: Int) -> UInt64 {
    count >= 8 ? .max : count <= 0 ? 0 : .max &>> UInt64(truncatingIfNeeded: 64 &- count &* 8)
  }

  /// Zero if both are equal.
  @inline(__always)
  fileprivate func difference(from other: KeyEnds) -> UInt64 {
    (first ^ other.first) | (second ^ other.second) | (last ^ other.last)
  }
}
