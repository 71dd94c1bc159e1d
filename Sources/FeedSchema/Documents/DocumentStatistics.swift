/// The statistics of the values of all records of a feed of documents, as a tree of paths.
package struct DocumentStatistics: Sendable {
  /// A path and the paths below it.
  package struct Branch: Sendable {
    package var node = PathNode()
    /// The members of an object. With ``isMap``, the key `*` means any key.
    package var members: [(key: String, branch: Branch)] = []
    /// The elements of an array.
    package var elements: [Branch] = []
    /// True if the keys are data, as in a dictionary. One branch then describes all members.
    package var isMap = false
    fileprivate var places: [String: Int] = [:]

    package init() {}
  }

  /// The number of paths that a schema lists.
  static let maximumPaths = 1024

  package var root = Branch()
  /// The number of records.
  package var records = 0
  /// The number of values of paths beyond those that a lane counts separately.
  package var lostValues = 0
  /// Whether these were read from a schema that lists only a part of the paths.
  package var isTruncated = false
  /// Whether the tree has every path of every record.
  package var listsAllPaths: Bool { !isTruncated && lostValues == 0 }

  package init() {}

  /// Adds the counts of a lane.
  mutating func add(_ counter: ValueCounter) {
    lostValues += counter.lostValues
    for (path, node) in counter.nodes where node.valueCount > 0 {
      root.update(path[...]) { $0.merge(node) }
    }
  }

  /// Subtracts the counts of documents that the feed already has. Call it before ``complete()``.
  /// The ranges and texts of values stay.
  ///
  /// Nothing but the number of records is subtracted if a lane had values of paths beyond its
  /// maximum: another lane may have counted other paths separately.
  mutating func subtract(_ other: DocumentStatistics) {
    records -= other.records
    guard lostValues == 0, other.lostValues == 0 else { return }
    root.subtract(other.root)
  }

  /// The statistics without histograms, which take the most space in a schema.
  package var withoutHistograms: DocumentStatistics {
    var result = self
    result.root.removeHistograms()
    return result
  }

  /// Orders members by their first occurrence, and merges those of maps.
  mutating func complete() { root.complete() }

  /// Adds the statistics of records that precede these, or follow them.
  package mutating func merge(_ other: DocumentStatistics) {
    records = records.addingCount(other.records)
    lostValues = lostValues.addingCount(other.lostValues)
    root.merge(other.root)
    complete()
  }
}

extension DocumentStatistics.Branch {
  /// Fewer members are never described together.
  private static let fewMembers = 64
  private static let manyMembers = 512

  /// The member with a key.
  package subscript(key: String) -> DocumentStatistics.Branch? {
    places[key].map { members[$0].branch } ?? (isMap ? members.first?.branch : nil)
  }

  mutating func add(_ branch: DocumentStatistics.Branch, for key: String) {
    let key = isMap ? "*" : key
    if let place = places[key] { return members[place].branch.merge(branch) }
    places[key] = members.count
    members.append((key, branch))
  }

  fileprivate mutating func update(_ path: ArraySlice<String?>, _ body: (inout PathNode) -> Void) {
    guard let step = path.first else { return body(&node) }
    guard let key = step else {
      if elements.isEmpty { elements.append(DocumentStatistics.Branch()) }
      return elements[0].update(path.dropFirst(), body)
    }
    let place: Int
    if let known = places[key] {
      place = known
    } else {
      place = members.count
      places[key] = place
      members.append((key, DocumentStatistics.Branch()))
    }
    members[place].branch.update(path.dropFirst(), body)
  }

  mutating func merge(_ other: DocumentStatistics.Branch) {
    node.merge(other.node)
    if let more = other.elements.first {
      if elements.isEmpty { elements.append(more) } else { elements[0].merge(more) }
    }
    if other.isMap, !isMap { mergeMembers() }
    for member in other.members { add(member.branch, for: member.key) }
  }

  fileprivate mutating func subtract(_ other: DocumentStatistics.Branch) {
    node.subtract(other.node)
    if let fewer = other.elements.first, !elements.isEmpty {
      elements[0].subtract(fewer)
      if elements[0].node.valueCount == 0 { elements = [] }
    }
    for member in other.members {
      guard let place = places[member.key] else { continue }
      members[place].branch.subtract(member.branch)
    }
    members.removeAll { $0.branch.node.valueCount == 0 }
    places = [:]
    for (index, member) in members.enumerated() { places[member.key] = index }
  }

  /// Rebuilds the index of members by key, and gives them their order in the schema's text.
  mutating func reindex() {
    for index in members.indices {
      members[index].branch.reindex()
      members[index].branch.node.place(at: index)
      places[members[index].key] = index
    }
    if !elements.isEmpty { elements[0].reindex() }
  }

  fileprivate mutating func complete() {
    if !elements.isEmpty { elements[0].complete() }
    if isOpenMap { mergeMembers() }
    for index in members.indices { members[index].branch.complete() }
    members.sort {
      ($0.branch.node.firstRecord, $0.branch.node.order)
        < ($1.branch.node.firstRecord, $1.branch.node.order)
    }
    for (index, member) in members.enumerated() { places[member.key] = index }
  }

  fileprivate mutating func removeHistograms() {
    node.numbers?.histogram = nil
    node.dates?.histogram = nil
    for index in elements.indices { elements[index].removeHistograms() }
    for index in members.indices { members[index].branch.removeHistograms() }
  }

  /// True if the keys are data: there are many, and each is in few of the objects.
  private var isOpenMap: Bool {
    guard !isMap, members.count > Self.fewMembers else { return false }
    if members.count > Self.manyMembers { return true }
    let visits = node.tally(.object).count
    let values = members.reduce(0) { $0.addingCount($1.branch.node.valueCount) }
    // Products of the counts of a stored schema may be too large for an `Int`.
    let possible = Double(visits) * Double(members.count)
    return visits >= Self.fewMembers && Double(values) * 10 <= possible
  }

  private mutating func mergeMembers() {
    isMap = true
    let all = members
    (members, places) = ([], [:])
    for member in all { add(member.branch, for: "*") }
  }
}

extension DocumentStatistics.Branch {
  /// The branch that a path of keys leads to.
  package func branch(at path: [String]) -> DocumentStatistics.Branch? {
    var branch: DocumentStatistics.Branch? = self
    for key in path { branch = branch?[key] }
    return branch
  }
}
