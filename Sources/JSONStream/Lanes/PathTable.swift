import CFeedScan

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
  /// What leads to a path from the one above it: a key, or any element.
  private struct Edge {
    /// The ends of the key, the length of the key and the parent. A vector begins at a multiple of
    /// its size, so it is in one line of the cache.
    var words = SIMD4<UInt64>()

    var parent: UInt16 { UInt16(truncatingIfNeeded: words.w) }
    /// The bytes of the key; -1 for the elements of an array.
    var count: Int { Int(Int64(bitPattern: words.w) >> 16) }

    init(elementsOf parent: UInt16) {
      words.w = Self.last(parent, -1)
    }

    @inline(__always)
    init(_ parent: UInt16, _ ends: KeyEnds, count: Int) {
      words = SIMD4(ends.ends.first, ends.ends.second, ends.ends.last, Self.last(parent, count))
    }

    @inline(__always)
    private static func last(_ parent: UInt16, _ count: Int) -> UInt64 {
      UInt64(bitPattern: Int64(count) << 16) | UInt64(parent)
    }
  }

  static let root: UInt16 = 0
  /// The maximum number of paths; the values of further ones share one number.
  static let maximumCount = 1 << 14
  /// The maximum bytes of the keys of all paths, from the record on. Statistics keep a copy of each
  /// path, and keys are input of any length.
  static let maximumKeyBytes = 4 << 20
  /// The number of all paths beyond a maximum.
  static let other = UInt16(maximumCount)

  private var edges = [Edge(elementsOf: 0)]
  /// The path of the elements of each one; 0 for none.
  private var elements: [UInt16] = [0]
  /// Where the key of each path begins in `keys`.
  private var keyOffsets: [Int32] = [0]
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
  mutating func child(of parent: UInt16, key: UnsafeRawBufferPointer, ends: KeyEnds) -> UInt16 {
    let edge = Edge(parent, ends, count: key.count)
    let slot = Int(truncatingIfNeeded: hash(of: edge) &>> hashShift)
    // A slot is below the number of slots, and has a path of `edges`.
    let path = slots.withUnsafeBufferPointer { $0[slot] }
    let words = edges.withUnsafeBufferPointer { $0[Int(path)].words }
    // The rare call is last and gets few values, so that the common path saves few registers.
    return words == edge.words && key.count <= KeyEnds.size ? path : find(parent, key, ends)
  }

  /// Searches further than the first slot, and numbers a new path.
  @inline(never)
  private mutating func find(
    _ parent: UInt16, _ key: UnsafeRawBufferPointer, _ ends: KeyEnds
  ) -> UInt16 {
    let edge = Edge(parent, ends, count: key.count)
    var slot = firstSlot(of: edge, key)
    while true {
      let path = Int(slots[slot])
      // Path 0 has no key.
      if edges[path].words == edge.words, key.count <= KeyEnds.size || hasKey(path, key) {
        return UInt16(truncatingIfNeeded: path)
      }
      if path == 0 { return add(edge, key, at: slot) }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  /// The number of the path of the elements of an array.
  @inline(__always)
  mutating func element(of parent: UInt16) -> UInt16 {
    guard parent != Self.other else { return parent }
    let path = elements[Int(parent)]
    return path != 0 ? path : addElement(of: parent)
  }

  /// Whether the key of a path equals one of the same length.
  private func hasKey(_ path: Int, _ key: UnsafeRawBufferPointer) -> Bool {
    keys.withUnsafeBytes { keys in
      // The bytes of each edge are in `keys`.
      guard let known = keys.baseAddress, let bytes = key.baseAddress else { return false }
      return memcmp(known + Int(keyOffsets[path]), bytes, key.count) == 0
    }
  }

  private mutating func add(_ edge: Edge, _ key: UnsafeRawBufferPointer, at slot: Int) -> UInt16 {
    guard let path = append(edge) else { return Self.other }
    keys.append(contentsOf: key)
    slots[slot] = path
    if edges.count * 4 > slots.count { grow() }
    return path
  }

  @inline(never)
  private mutating func addElement(of parent: UInt16) -> UInt16 {
    guard let path = append(Edge(elementsOf: parent)) else { return Self.other }
    elements[Int(parent)] = path
    return path
  }

  /// Numbers a new path, whose key is not in `keys` yet. Returns nil if it is beyond a maximum.
  private mutating func append(_ edge: Edge) -> UInt16? {
    guard takeSpace(forKeyOf: max(edge.count, 0), below: edge.parent) else { return nil }
    edges.append(edge)
    elements.append(0)
    keyOffsets.append(Int32(truncatingIfNeeded: keys.count))
    return UInt16(truncatingIfNeeded: edges.count - 1)
  }

  /// Counts a new path and its keys. Returns false if it is beyond a maximum.
  private mutating func takeSpace(forKeyOf count: Int, below parent: UInt16) -> Bool {
    guard edges.count < Self.maximumCount, parent != Self.other else { return false }
    var bytes = count
    var next = parent
    while next != Self.root {
      bytes += max(edges[Int(next)].count, 0)
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
      var slot = keys.withUnsafeBytes { keys in
        firstSlot(of: edges[path], UnsafeRawBufferPointer(rebasing: keys[bytesOfKey(path)]))
      }
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt16(truncatingIfNeeded: path)
    }
  }

  /// The first slot to search for a key: the upper bits of its hash.
  ///
  /// Keys are input, so a hostile document can make them collide. It then has at most
  /// ``maximumCount`` paths to compare.
  private func firstSlot(of edge: Edge, _ key: UnsafeRawBufferPointer) -> Int {
    var hash = hash(of: edge)
    if key.count > KeyEnds.size { hash ^= Self.hashOfMiddle(of: key) }
    return Int(truncatingIfNeeded: hash &>> hashShift)
  }

  /// The hash of an edge whose key has no bytes between its ends.
  @inline(__always)
  private func hash(of edge: Edge) -> UInt64 {
    // The products do not depend on one another.
    let words = edge.words
    return words.x &* 0x9E37_79B9_7F4A_7C15 ^ words.y &* 0xD6E8_FEB8_6659_FD93
      ^ words.z &* 0xA076_1D64_78BD_642F ^ words.w &* 0xE703_7ED1_A0B4_28DB
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
      let isKey = edges[Int(next)].count >= 0
      steps.append(isKey ? Array(keys[bytesOfKey(Int(next))]) : nil)
      next = edges[Int(next)].parent
    }
    return steps.reversed()
  }

  /// The bytes in `keys` of the key of a path.
  private func bytesOfKey(_ path: Int) -> Range<Int> {
    let start = Int(keyOffsets[path])
    return start..<start + edges[path].count
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

  fileprivate let ends: feedscan_key_ends

  /// - Parameter key: a key of `count` bytes. Any readable bytes follow, up to 16 in all.
  @inline(__always)
  init(padded key: UnsafePointer<UInt8>, _ count: Int) {
    ends = feedscan_key_ends_of(key, count)
  }

  init(_ key: UnsafeRawBufferPointer) {
    var padded: (UInt64, UInt64) = (0, 0)
    ends = withUnsafeMutableBytes(of: &padded) { padded in
      // A longer key is read where it is.
      padded.copyBytes(from: key.prefix(padded.count))
      let bytes = key.count < padded.count ? UnsafeRawBufferPointer(padded) : key
      let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
      return start.map { feedscan_key_ends_of($0, key.count) } ?? feedscan_key_ends()
    }
  }
}
