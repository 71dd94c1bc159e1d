#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds the selected keys of each object: one multiplication, one look into a small table, one
/// comparison of two words.
///
/// The table of a node is perfect: its multiplier was tried out so that no two keys share a
/// place. Everything lies at stable addresses, is written once and freed by ``deallocate()``.
struct KeyTable {
  struct Child {
    var slot: UInt16
    var isList: Bool
    /// The node of an inner object, or -1.
    var node: Int32
    var length: Int
    var words: Words
    var key: UnsafePointer<UInt8>
  }

  /// The first and the last eight bytes of a key, or all of a shorter one.
  struct Words {
    var head: UInt64
    var tail: UInt64

    @inline(__always)
    init(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
      let raw = UnsafeRawPointer(bytes)
      if length >= 8 {
        head = raw.loadUnaligned(as: UInt64.self)
        tail = (raw + length - 8).loadUnaligned(as: UInt64.self)
      } else if length >= 4 {
        head = UInt64(raw.loadUnaligned(as: UInt32.self))
        tail = UInt64((raw + length - 4).loadUnaligned(as: UInt32.self))
      } else {
        head = 0
        tail = 0
        for index in 0..<length { head = head << 8 | UInt64(bytes[index]) }
      }
    }
  }

  private struct Node {
    var multiplier: UInt64
    var shift: UInt64
    var table: UnsafeMutablePointer<Int32>
  }

  /// All keys; a child is known by its index.
  let children: UnsafeMutablePointer<Child>
  private let nodes: UnsafeMutablePointer<Node>
  private let nodeCount: Int
  private let bytes: UnsafeMutablePointer<UInt8>

  init(_ selection: Selection) {
    let all = selection.nodes.flatMap { $0 }
    let keyBytes = all.flatMap(\.key)
    children = .allocate(capacity: max(all.count, 1))
    nodes = .allocate(capacity: selection.nodes.count)
    nodeCount = selection.nodes.count
    bytes = .allocate(capacity: max(keyBytes.count, 1))
    bytes.initialize(from: keyBytes, count: keyBytes.count)
    var next = 0
    var key = UnsafePointer(bytes)
    for (index, siblings) in selection.nodes.enumerated() {
      let first = next
      for sibling in siblings {
        let child = Child(
          slot: sibling.slot, isList: sibling.isList, node: Int32(sibling.node),
          length: sibling.key.count, words: Words(key, sibling.key.count), key: key)
        (children + next).initialize(to: child)
        key += sibling.key.count
        next += 1
      }
      (nodes + index).initialize(to: Self.node(children, first..<next))
    }
  }

  func deallocate() {
    for index in 0..<nodeCount { nodes[index].table.deallocate() }
    nodes.deallocate()
    children.deallocate()
    bytes.deallocate()
  }

  /// The child of a node with this key, or -1.
  @inline(__always)
  func child(of node: Int32, _ key: UnsafePointer<UInt8>, _ length: Int) -> Int32 {
    let words = Words(key, length)
    let entry = nodes + Int(node)
    let place = Self.place(words, length, entry.pointee.multiplier, entry.pointee.shift)
    let index = entry.pointee.table[place]
    guard index >= 0 else { return -1 }
    let child = children + Int(index)
    guard child.pointee.length == length, child.pointee.words.head == words.head,
      child.pointee.words.tail == words.tail,
      length <= 16 || memcmp(child.pointee.key, key, length) == 0
    else { return -1 }
    return index
  }

  @inline(__always)
  private static func place(
    _ words: Words, _ length: Int, _ multiplier: UInt64, _ shift: UInt64
  ) -> Int {
    let mixed = words.head ^ (words.tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(length)
    return Int((mixed &* multiplier) &>> shift)
  }

  // Tries multipliers, and larger tables, until no two keys meet. Keys of one object differ, so
  // their mixed words do; were two ever to agree, the table would stop growing and the later
  // key of the two be unselected, which a test of the keys at hand would show.
  private static func node(_ children: UnsafeMutablePointer<Child>, _ range: Range<Int>) -> Node {
    var bits: UInt64 = 3
    while 1 << bits < 2 * range.count { bits += 1 }
    var multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    while true {
      for _ in 0..<64 {
        var table = [Int32](repeating: -1, count: 1 << bits)
        var meets = false
        for index in range {
          let child = children[index]
          let place = place(child.words, child.length, multiplier, 64 - bits)
          if table[place] >= 0 { meets = true } else { table[place] = Int32(index) }
        }
        if !meets || bits >= 16 {
          let stable = UnsafeMutablePointer<Int32>.allocate(capacity: table.count)
          stable.initialize(from: table, count: table.count)
          return Node(multiplier: multiplier, shift: 64 - bits, table: stable)
        }
        multiplier = multiplier &* 0xD134_2543_DE82_EF95 &+ 2
      }
      bits += 1
    }
  }
}
