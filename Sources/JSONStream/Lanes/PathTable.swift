/// The paths of a document's values, numbered in order of appearance.
///
/// Path 0 is the record itself. Every other path is a key, or any element, below its parent. The
/// table is used for records that YAJL validates; the steps of replay have the numbers.
struct PathTable {
  /// One step below a parent.
  private struct Edge: Hashable {
    var parent: UInt16
    /// Nil for the elements of an array.
    var key: [UInt8]?
  }

  static let root: UInt16 = 0
  /// The maximum number of paths; the values of further ones share one number.
  static let maximumCount = 1 << 14
  /// The number of all paths beyond the maximum.
  static let other = UInt16(maximumCount)

  private var numbers: [Edge: UInt16] = [:]
  private var edges: [Edge?] = [nil]

  /// The number of the path of a key below `parent`, or of its elements if the key is nil.
  mutating func child(of parent: UInt16, key: [UInt8]?) -> UInt16 {
    let edge = Edge(parent: parent, key: key)
    if let number = numbers[edge] { return number }
    guard edges.count < Self.maximumCount, parent != Self.other else { return Self.other }
    let number = UInt16(truncatingIfNeeded: edges.count)
    edges.append(edge)
    numbers[edge] = number
    return number
  }

  /// The keys from the record to a path's values; a nil element means "any element of an array".
  /// Returns nil for a path beyond the table's capacity.
  func keys(to path: UInt16) -> [[UInt8]?]? {
    guard path < edges.count else { return nil }
    var keys: [[UInt8]?] = []
    var next = path
    while let edge = edges[Int(next)] {
      keys.append(edge.key)
      next = edge.parent
    }
    return keys.reversed()
  }

  /// True if every number that both tables have means the same path in both.
  func agrees(with other: PathTable) -> Bool { zip(edges, other.edges).allSatisfy(==) }
}
