#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The paths of a document's values, numbered in order of appearance.
///
/// Path 0 is the record itself. Every other path is a key, or any element, below its parent. The
/// table is used for each token of records that YAJL validates, so it tries the path that followed
/// the last one the time before, and then a hash table. The steps of replay have the numbers.
struct PathTable {
  private struct Edge {
    var parent: UInt16
    /// The path that came after this one the last time.
    var follower: UInt16 = 0
    /// The bytes of the key; -1 for the elements of an array.
    var count: Int32
    var start: Int32
  }

  static let root: UInt16 = 0
  /// The maximum number of paths; the values of further ones share one number.
  static let maximumCount = 1 << 14
  /// The number of all paths beyond the maximum.
  static let other = UInt16(maximumCount)

  private var edges: [Edge] = [Edge(parent: 0, count: 0, start: 0)]
  private var keys: [UInt8] = []
  /// Paths by their hashes, 0 for none; its size is a power of two above twice their number.
  private var slots: [UInt16] = Array(repeating: 0, count: 256)
  private var last = root

  /// The number of the path of a key below `parent`.
  @inline(__always)
  mutating func child(of parent: UInt16, key: UnsafeBufferPointer<UInt8>) -> UInt16 {
    let guess = edges[Int(last)].follower
    if isEdge(guess, parent, key) {
      last = guess
      return guess
    }
    return found(find(parent, key, count: Int32(truncatingIfNeeded: key.count)))
  }

  /// The number of the path of the elements of an array.
  @inline(__always)
  mutating func element(of parent: UInt16) -> UInt16 {
    let guess = edges[Int(last)].follower
    if guess != 0, edges[Int(guess)].parent == parent, edges[Int(guess)].count < 0 {
      last = guess
      return guess
    }
    return found(find(parent, UnsafeBufferPointer(start: nil, count: 0), count: -1))
  }

  @inline(__always)
  private mutating func found(_ path: UInt16) -> UInt16 {
    guard path != Self.other else { return path }
    edges[Int(last)].follower = path
    last = path
    return path
  }

  @inline(__always)
  private func isEdge(
    _ path: UInt16, _ parent: UInt16, _ key: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let edge = edges[Int(path)]
    guard path != 0, edge.parent == parent, Int(edge.count) == key.count else { return false }
    return hasKey(edge, key)
  }

  @inline(__always)
  private func hasKey(_ edge: Edge, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let bytes = key.baseAddress, edge.count > 0 else { return true }
    return keys.withUnsafeBufferPointer { keys in
      // The bytes of each edge are in `keys`.
      guard let known = keys.baseAddress else { return false }
      return memcmp(known + Int(edge.start), bytes, Int(edge.count)) == 0
    }
  }

  @inline(never)
  private mutating func find(
    _ parent: UInt16, _ key: UnsafeBufferPointer<UInt8>, count: Int32
  ) -> UInt16 {
    let hash = Self.hash(parent, key, count)
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let edge = edges[Int(slots[slot])]
      if edge.parent == parent, edge.count == count, hasKey(edge, key) { return slots[slot] }
      slot = (slot + 1) & (slots.count - 1)
    }
    guard edges.count < Self.maximumCount, parent != Self.other else { return Self.other }
    let path = UInt16(truncatingIfNeeded: edges.count)
    edges.append(
      Edge(parent: parent, count: count, start: Int32(truncatingIfNeeded: keys.count)))
    keys.append(contentsOf: key)
    slots[slot] = path
    if edges.count * 2 > slots.count { grow() }
    return path
  }

  private mutating func grow() {
    var larger = [UInt16](repeating: 0, count: slots.count * 2)
    for path in 1..<edges.count {
      let edge = edges[path]
      let range = Int(edge.start)..<Int(edge.start) + Int(max(edge.count, 0))
      let hash = keys[range].withUnsafeBufferPointer { Self.hash(edge.parent, $0, edge.count) }
      var slot = hash & (larger.count - 1)
      while larger[slot] != 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = UInt16(truncatingIfNeeded: path)
    }
    slots = larger
  }

  /// Keys are input, so a hostile document can make them collide. It then has at most
  /// ``maximumCount`` paths to compare.
  private static func hash(
    _ parent: UInt16, _ key: UnsafeBufferPointer<UInt8>, _ count: Int32
  ) -> Int {
    var hash = UInt64(parent) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(count))
    for byte in key { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return Int(truncatingIfNeeded: (hash ^ hash &>> 29) & 0x7FFF_FFFF)
  }

  /// The keys from the record to a path's values; a nil element means "any element of an array".
  /// Returns nil for a path beyond the table's capacity.
  func keys(to path: UInt16) -> [[UInt8]?]? {
    guard path < edges.count else { return nil }
    var steps: [[UInt8]?] = []
    var next = path
    while next != Self.root {
      let edge = edges[Int(next)]
      let start = Int(edge.start)
      steps.append(edge.count < 0 ? nil : Array(keys[start..<start + Int(edge.count)]))
      next = edge.parent
    }
    return steps.reversed()
  }

  /// True if every number that both tables have means the same path in both.
  func agrees(with other: PathTable) -> Bool {
    for path in 1..<max(min(edges.count, other.edges.count), 1) {
      let (own, its) = (edges[path], other.edges[path])
      let start = Int(its.start)
      let isSame = other.keys[start..<start + Int(max(its.count, 0))].withUnsafeBufferPointer {
        own.parent == its.parent && own.count == its.count && hasKey(own, $0)
      }
      if !isSame { return false }
    }
    return true
  }
}
