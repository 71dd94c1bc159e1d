#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the selected keys of each object.
///
/// The key that followed the previous one last time is tried first: a comparison of two words.
/// Otherwise one lookup in a small table decides. The table of a node is perfect: its multiplier
/// is chosen so that no two keys share a slot. If no such multiplier exists, the colliding keys
/// are searched one by one. All memory has stable addresses and is freed by ``deallocate()``.
struct KeyTable {
  struct Child {
    var slot: Int32
    var isList: Bool
    /// The node of an inner object, or -1.
    var node: Int32
    /// The node of the object that has this key.
    var parent: Int32
    /// The selected key that followed this one last time.
    var next: Int32
    var length: Int
    var words: MaskedWords
    var key: UnsafePointer<UInt8>
  }

  /// The first sixteen bytes of a key.
  struct MaskedWords {
    private let first: UInt64
    private let second: UInt64
    private let firstMask: UInt64
    private let secondMask: UInt64

    init(_ key: UnsafePointer<UInt8>, _ length: Int) {
      var words: (UInt64, UInt64) = (0, 0)
      var masks: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &words) { words in
        withUnsafeMutableBytes(of: &masks) { masks in
          for index in 0..<min(length, 16) {
            words[index] = key[index]
            masks[index] = 0xFF
          }
        }
      }
      (first, second) = words
      (firstMask, secondMask) = masks
    }

    /// Compares sixteen bytes; bytes after the key's length are ignored.
    @inline(__always)
    func match(_ bytes: UnsafePointer<UInt8>) -> Bool {
      let raw = UnsafeRawPointer(bytes)
      let difference =
        (raw.loadUnaligned(as: UInt64.self) ^ first) & firstMask
        | (raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ second) & secondMask
      return difference == 0
    }
  }

  /// Keys that collide in a table of this size may have equal mixed words: they collide in every
  /// larger table too.
  private static let maximumTableBits: UInt64 = 16

  private struct Node {
    var multiplier: UInt64
    var shift: UInt64
    var table: UnsafeMutablePointer<Int32>
    /// The children that share a slot and must be searched; empty in a perfect table.
    var collisions: Range<Int32>
  }

  /// All keys; a child is identified by its index. The one after the last matches nothing.
  let children: UnsafeMutablePointer<Child>
  private let nodes: UnsafeMutablePointer<Node>
  private let nodeCount: Int
  private let bytes: UnsafeMutablePointer<UInt8>

  init(_ selection: Selection) {
    let all = selection.nodes.flatMap { $0 }
    let keyBytes = all.flatMap(\.key)
    children = .allocate(capacity: all.count + 1)
    nodes = .allocate(capacity: selection.nodes.count)
    nodeCount = selection.nodes.count
    bytes = .allocate(capacity: keyBytes.count + 16)
    bytes.initialize(repeating: 0, count: keyBytes.count + 16)
    bytes.update(from: keyBytes, count: keyBytes.count)
    var next = 0
    var key = UnsafePointer(bytes)
    for (index, siblings) in selection.nodes.enumerated() {
      let first = next
      for sibling in siblings {
        let length = sibling.key.count
        let child = Child(
          slot: Int32(sibling.slot), isList: sibling.isList, node: Int32(sibling.node),
          parent: Int32(index), next: Int32(next + 1), length: length,
          words: MaskedWords(key, length), key: key)
        (children + next).initialize(to: child)
        key += length
        next += 1
      }
      (nodes + index).initialize(to: Self.node(children, first..<next))
    }
    // The successor of the last key is compared like any other and never matches.
    let none = Child(
      slot: 0, isList: false, node: -1, parent: -1, next: 0, length: -1,
      words: MaskedWords(bytes, 0), key: UnsafePointer(bytes))
    (children + next).initialize(to: none)
  }

  func deallocate() {
    for index in 0..<nodeCount { nodes[index].table.deallocate() }
    nodes.deallocate()
    children.deallocate()
    bytes.deallocate()
  }

  /// True if a child has this key, of at most sixteen bytes, and this parent. Sixteen bytes may
  /// be read at `key`.
  @inline(__always)
  func isChild(
    _ index: Int32, of node: Int32, _ key: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    let child = children + Int(index)
    return child.pointee.length == length && length <= 16 && child.pointee.parent == node
      && child.pointee.words.match(key)
  }

  /// The child of a node with this key, or -1. Sixteen bytes may be read at a padded key.
  @inline(__always)
  func child(
    of node: Int32, _ key: UnsafePointer<UInt8>, _ length: Int, isPadded: Bool
  ) -> Int32 {
    let entry = nodes + Int(node)
    let slot = Self.slot(key, length, entry.pointee.multiplier, entry.pointee.shift)
    let index = entry.pointee.table[slot]
    guard index >= 0 else { return -1 }
    let child = children + Int(index)
    guard child.pointee.length == length else { return searchCollisions(of: entry, key, length) }
    // Most keys are so short that a call would cost more than the comparison.
    let isSame =
      isPadded && length <= 16
      ? child.pointee.words.match(key) : memcmp(child.pointee.key, key, length) == 0
    return isSame ? index : searchCollisions(of: entry, key, length)
  }

  @inline(__always)
  private func searchCollisions(
    of node: UnsafeMutablePointer<Node>, _ key: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    node.pointee.collisions.isEmpty ? -1 : search(node.pointee.collisions, key, length)
  }

  @inline(never)
  private func search(
    _ range: Range<Int32>, _ key: UnsafePointer<UInt8>, _ length: Int
  ) -> Int32 {
    for index in range {
      let child = children + Int(index)
      if child.pointee.length == length, memcmp(child.pointee.key, key, length) == 0 {
        return index
      }
    }
    return -1
  }

  @inline(__always)
  private static func slot(
    _ key: UnsafePointer<UInt8>, _ length: Int, _ multiplier: UInt64, _ shift: UInt64
  ) -> Int {
    let raw = UnsafeRawPointer(key)
    var head: UInt64 = 0
    var tail: UInt64 = 0
    if length >= 8 {
      head = raw.loadUnaligned(as: UInt64.self)
      tail = raw.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
      // Keys that differ only in the middle must not collide.
      var offset = 8
      while offset < length - 8 {
        let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        head = (head ^ word) &* 0xD6E8_FEB8_6659_FD93
        head ^= head &>> 32
        offset += 8
      }
    } else if length >= 4 {
      head = UInt64(raw.loadUnaligned(as: UInt32.self))
      tail = UInt64(raw.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self))
    } else {
      for index in 0..<length { head = head << 8 | UInt64(key[index]) }
    }
    let mixed = head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(length)
    return Int((mixed &* multiplier) &>> shift)
  }

  // Tries multipliers, then larger tables, until no two keys collide.
  private static func node(_ children: UnsafeMutablePointer<Child>, _ range: Range<Int>) -> Node {
    var bits: UInt64 = 3
    while 1 << bits < 2 * range.count { bits += 1 }
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while true {
      for _ in 0..<64 {
        var table = [Int32](repeating: -1, count: 1 << bits)
        var collides = false
        for index in range {
          let child = children[index]
          let slot = slot(child.key, child.length, multiplier, 64 - bits)
          if table[slot] >= 0 { collides = true } else { table[slot] = Int32(index) }
        }
        if !collides || bits >= maximumTableBits {
          let stable = UnsafeMutablePointer<Int32>.allocate(capacity: table.count)
          stable.initialize(from: table, count: table.count)
          let all = Int32(range.lowerBound)..<Int32(range.upperBound)
          return Node(
            multiplier: multiplier, shift: 64 - bits, table: stable,
            collisions: collides ? all : 0..<0)
        }
        multiplier = multiplier &* 0xD134_2543_DE82_EF95 &+ 2
      }
      bits += 1
    }
  }
}
