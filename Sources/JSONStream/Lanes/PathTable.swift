#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The paths of a document's values. Named ones are numbered first, and then the others in order of
/// appearance.
///
/// Path 0 is the record itself. Every other path is a key, or any element, below its parent. The
/// table is used for each token of records that YAJL validates, so a lookup first tries the path
/// that followed the current one last time, and only then a hash table. The steps of replay store
/// the numbers.
struct PathTable {
  private struct Edge {
    var parent: UInt16
    /// The path that followed this one last time.
    var follower: UInt16 = 0
    /// The bytes of the key; -1 for the elements of an array.
    var count: Int32
    var start: Int32
    /// The key, if it is short.
    var text = ShortText()
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

  /// Numbers a path and those above it. A nil element means "any element of an array".
  mutating func add(_ path: [[UInt8]?]) {
    var parent = Self.root
    for key in path {
      parent =
        key?.withUnsafeBufferPointer { child(of: parent, key: $0) } ?? element(of: parent)
    }
    last = Self.root
  }

  /// The number of the path of a key below `parent`.
  @inline(__always)
  mutating func child(of parent: UInt16, key: UnsafeBufferPointer<UInt8>) -> UInt16 {
    let text = ShortText(UnsafeRawBufferPointer(key))
    let guess = edges[Int(last)].follower
    if edges[Int(guess)].parent == parent, hasKey(edges[Int(guess)], key, text) {
      last = guess
      return guess
    }
    return found(find(parent, key, text))
  }

  /// The number of the path of the elements of an array.
  @inline(__always)
  mutating func element(of parent: UInt16) -> UInt16 {
    let guess = edges[Int(last)].follower
    if guess != 0, edges[Int(guess)].parent == parent, edges[Int(guess)].count < 0 {
      last = guess
      return guess
    }
    return found(find(parent, nil, nil))
  }

  @inline(__always)
  private mutating func found(_ path: UInt16) -> UInt16 {
    guard path != Self.other else { return path }
    edges[Int(last)].follower = path
    last = path
    return path
  }

  /// Whether a path is that of a key; false for the root, whose text equals none.
  @inline(__always)
  private func hasKey(
    _ edge: Edge, _ key: UnsafeBufferPointer<UInt8>, _ text: ShortText?
  ) -> Bool {
    if let text { return edge.text == text }
    return Int(edge.count) == key.count && hasLongKey(edge, key)
  }

  @inline(never)
  private func hasLongKey(_ edge: Edge, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    keys.withUnsafeBufferPointer { keys in
      // The bytes of each edge are in `keys`.
      guard let known = keys.baseAddress, let bytes = key.baseAddress else { return false }
      return memcmp(known + Int(edge.start), bytes, key.count) == 0
    }
  }

  /// The path of a key, or of the elements of an array, which is added if it is new.
  @inline(never)
  private mutating func find(
    _ parent: UInt16, _ key: UnsafeBufferPointer<UInt8>?, _ text: ShortText?
  ) -> UInt16 {
    let count = key.map { Int32(truncatingIfNeeded: $0.count) } ?? -1
    let key = key ?? UnsafeBufferPointer(start: nil, count: 0)
    var slot = Self.hash(parent, key, count) & (slots.count - 1)
    while slots[slot] != 0 {
      let edge = edges[Int(slots[slot])]
      if edge.parent == parent, edge.count == count, count < 0 || hasKey(edge, key, text) {
        return slots[slot]
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    guard edges.count < Self.maximumCount, parent != Self.other else { return Self.other }
    let path = UInt16(truncatingIfNeeded: edges.count)
    edges.append(
      Edge(
        parent: parent, count: count, start: Int32(truncatingIfNeeded: keys.count),
        text: text ?? ShortText()))
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
    let bytes = UnsafeRawBufferPointer(key)
    var hash = UInt64(parent) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(count))
    var place = 0
    while place + 8 <= bytes.count {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    while place < bytes.count {
      hash = mix(hash, UInt64(bytes[place]))
      place += 1
    }
    return Int(truncatingIfNeeded: (hash ^ hash &>> 29) & 0x7FFF_FFFF)
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ mixed &>> 32
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

/// A text of at most 16 bytes, compared as two words: its length, and its first and last bytes, which
/// may overlap.
@_spi(Records) @frozen public struct ShortText: Equatable, Sendable {
  @usableFromInline var count = -1
  @usableFromInline var start: UInt64 = 0
  @usableFromInline var end: UInt64 = 0

  /// Equal to no text.
  @inlinable public init() {}

  /// Nil if the text is longer.
  @inlinable @inline(__always)
  public init?(_ text: UnsafeRawBufferPointer) {
    count = text.count
    // Every load is inside the text.
    switch count {
    case 8...16:
      start = text.loadUnaligned(as: UInt64.self)
      end = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    case 4..<8:
      start = UInt64(text.loadUnaligned(as: UInt32.self))
      end = UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    case 1..<4:
      start = UInt64(text[0]) << 8 | UInt64(text[count / 2])
      end = UInt64(text[count - 1])
    case 0: break
    default: return nil
    }
  }

  @inlinable @inline(__always)
  public static func == (left: ShortText, right: ShortText) -> Bool {
    left.count == right.count && (left.start ^ right.start) | (left.end ^ right.end) == 0
  }
}
