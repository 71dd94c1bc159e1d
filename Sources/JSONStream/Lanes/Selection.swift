/// The values of a record that a lane writes to the tape, compiled from their JSON paths.
///
/// A path is a list of object keys, outermost first. Each selected path has a slot: the index of its
/// values on the tape. A parent object of paths has a slot too, which shows the reader of the tape
/// whether it is repeated or has another type.
package struct Selection: Sendable {
  /// One path to select.
  package struct Path: Sendable {
    /// The object keys from the record inwards; at least one.
    package var keys: [String]
    /// True if the value should be an array of scalars.
    package var isList: Bool

    package init(_ keys: [String], isList: Bool = false) {
      self.keys = keys
      self.isList = isList
    }
  }

  /// A parent object of selected paths.
  package struct Group: Sendable {
    package let slot: Int
    /// The paths below it.
    package fileprivate(set) var members: Range<Int>
    /// The slots of the parent objects below it.
    fileprivate(set) var parents: Range<Int>
    /// Its own path.
    package let keys: [String]
  }

  struct Child {
    var key: [UInt8]
    var slot: UInt16
    var isList = false
    /// The node of an inner object, or -1.
    var node = -1
  }

  private(set) var nodes: [[Child]] = [[]]
  /// The parent objects, each with a slot after those of the paths.
  package private(set) var groups: [Group] = []
  /// The number of paths.
  package let pathCount: Int
  /// True if lanes report to their context, an ``UnselectedKeys``, the unselected keys of objects
  /// in which other keys are selected.
  package var reportsOtherKeys = false
  /// True if every value of a record is selected, with its path: slot 0 is the list of them.
  package let isDocument: Bool
  /// The paths that are numbered before any record is read.
  private(set) var namedPaths: [[[UInt8]?]] = []
  /// Slots of a record: paths, then groups, then one for a record that is not an object.
  package var slotCount: Int { pathCount + groups.count + 1 }

  /// Compiles paths; the slot of each is its index. Paths below one parent must be adjacent.
  package init(_ paths: [Path]) {
    pathCount = paths.count
    isDocument = false
    for (slot, path) in paths.enumerated() {
      insert(path, slot: slot, next: paths.count)
    }
  }

  /// Selects every value of every record.
  package static let everything = Selection(naming: [])

  /// Selects every value of every record.
  ///
  /// - Parameter paths: paths that get the first numbers, whether or not a value has them; a nil
  ///   element means "any element of an array".
  package static func everything(naming paths: [[[UInt8]?]]) -> Selection {
    Selection(naming: paths)
  }

  private init(naming paths: [[[UInt8]?]]) {
    pathCount = 1
    isDocument = true
    namedPaths = paths
  }

  /// The keys that lead to each node.
  var nodePaths: [[[UInt8]]] {
    var paths: [[[UInt8]]] = Array(repeating: [], count: nodes.count)
    for (index, children) in nodes.enumerated() {
      // A node comes after the one above it.
      for child in children where child.node >= 0 {
        paths[child.node] = paths[index] + [child.key]
      }
    }
    return paths
  }

  private mutating func insert(_ path: Path, slot: Int, next: Int) {
    var node = 0
    for (depth, name) in path.keys.dropLast().enumerated() {
      let key = Array(name.utf8)
      if let known = nodes[node].firstIndex(where: { $0.key == key && $0.node >= 0 }) {
        node = nodes[node][known].node
        if let group = groups.firstIndex(where: { $0.keys == Array(path.keys.prefix(depth + 1)) }) {
          groups[group].members = groups[group].members.lowerBound..<slot + 1
        }
        continue
      }
      let group = next + groups.count
      let keys = Array(path.keys.prefix(depth + 1))
      for outer in groups.indices where keys.starts(with: groups[outer].keys) {
        groups[outer].parents = groups[outer].parents.lowerBound..<group + 1
      }
      groups.append(
        Group(slot: group, members: slot..<slot + 1, parents: group + 1..<group + 1, keys: keys))
      nodes[node].append(
        Child(key: key, slot: UInt16(truncatingIfNeeded: group), node: nodes.count))
      node = nodes.count
      nodes.append([])
    }
    let key = Array((path.keys.last ?? "").utf8)
    nodes[node].append(
      Child(key: key, slot: UInt16(truncatingIfNeeded: slot), isList: path.isList))
  }
}
