/// The containers of an object, found in one walk: their sizes, and whether they look like records.
///
/// Objects are entered up to a depth; the elements of arrays are only counted. Memory does not grow
/// with the number of containers: only those that may still be chosen are kept.
struct ContainerTrace {
  /// An array or object below the top-level object, or that object itself.
  struct Container {
    /// The keys that lead to it.
    var path: [JSONCursor.Text] = []
    var form: RecordsFinder.Candidate.Form
    var range: Range<Int>
    var elementCount: Int
    var isOpen = false

    /// Whether it looks like records by itself.
    var holdsRecords: Bool { form == .objects || form == .keyed }
  }

  /// Objects are entered down to this depth below the top-level object.
  static let maximumDepth = 8
  /// Containers that are remembered for messages.
  static let maximumReported = 8

  /// Where the top-level object begins.
  let start: Int
  /// The end of the object, or of the text if that ends first.
  private(set) var end: Int
  /// Containers that look like records and have a quarter of all bytes before their end. No other
  /// closed one can have a quarter of the document.
  private(set) var contenders: [Container] = []
  /// The containers in which the text ended, outermost first.
  private(set) var open: [Container] = []
  /// The largest containers, in the order of the text.
  private(set) var largest: [Container] = []
  /// The first array under the key `features` of the top-level object.
  private(set) var features: Container?
  private(set) var isFeatureCollection = false
  private(set) var emptyArrays: [Container] = []
  /// Whether there is an array with elements, or an object of similar objects.
  private(set) var hasElements = false
  /// Whether the top-level object has a key that records have.
  private(set) var hasIdentifier = false

  private var levels: [Level] = []

  /// - Parameter cursor: before the object. It is moved to its end, or has stopped.
  init(_ cursor: inout JSONCursor) {
    _ = cursor.peek()
    start = cursor.position
    end = start
    guard cursor.nextKind() == .object, cursor.enter() != nil else { return }
    levels.append(Level(start: start))
    while !levels.isEmpty {
      if let key = cursor.nextKey() {
        trace(key, &cursor)
      } else if cursor.isStopped {
        break
      } else {
        close(at: cursor.position)
      }
    }
    end = cursor.position
    guard cursor.isStopped else { return }
    // The text ended inside these objects, and perhaps inside an array that `open` already has.
    let objects = levels.indices.map { depth in
      located(container(levels[depth], end: end), levels[depth].key, in: levels[..<depth])
    }
    open.insert(contentsOf: objects, at: 0)
    for index in open.indices { open[index].isOpen = true }
    reportOpen()
  }

  private mutating func trace(_ key: JSONCursor.Text, _ cursor: inout JSONCursor) {
    let top = levels.count - 1
    if levels[top].wantsKey { levels[top].add(Self.hash(key, in: cursor.bytes)) }
    levels[top].memberCount += 1
    if top == 0 { noteMember(key, &cursor) }
    guard let kind = cursor.nextKind() else {
      _ = cursor.skipValue()
      return
    }
    levels[top].objectCount += kind == .object ? 1 : 0
    switch kind {
    case .object where levels.count <= Self.maximumDepth:
      let start = cursor.position
      guard cursor.enter() != nil else { return }
      var level = Level(start: start, key: key)
      level.wantsKeys = levels[top].comparesMembers
      levels.append(level)
    case .array where levels.count <= Self.maximumDepth: traceArray(key, &cursor)
    default: _ = cursor.skipValue()
    }
  }

  /// Looks at a member of the top-level object.
  private mutating func noteMember(_ key: JSONCursor.Text, _ cursor: inout JSONCursor) {
    if key.equals(Self.id, in: cursor.bytes) || key.equals(Self.underscoredID, in: cursor.bytes) {
      hasIdentifier = true
    }
    guard key.equals(Self.type, in: cursor.bytes), cursor.nextKind() == .string else { return }
    var value = JSONCursor(cursor.bytes, at: cursor.position)
    guard let text = value.nextString() else { return }
    isFeatureCollection = text.equals(Self.featureCollection, in: cursor.bytes)
  }

  private static let id = Array("id".utf8)
  private static let underscoredID = Array("_id".utf8)
  private static let type = Array("type".utf8)
  private static let featureCollection = Array("FeatureCollection".utf8)
  private static let featuresKey = Array("features".utf8)

  private mutating func traceArray(_ key: JSONCursor.Text, _ cursor: inout JSONCursor) {
    let start = cursor.position
    guard cursor.enter() != nil else { return }
    var (count, objects, arrays) = (0, 0, 0)
    while let kind = cursor.nextElement() {
      count += 1
      if kind == .object { objects += 1 }
      if kind == .array { arrays += 1 }
      guard cursor.skipValue() != nil else { break }
    }
    let form: RecordsFinder.Candidate.Form =
      count == 0 ? .array : objects * 2 >= count ? .objects : arrays * 2 >= count ? .arrays : .array
    let container = Container(form: form, range: start..<cursor.position, elementCount: count)
    if levels.count == 1, key.equals(Self.featuresKey, in: cursor.bytes) {
      features = located(container, key)
    }
    if count > 0 {
      hasElements = true
      noteInner(container.range.count)
    }
    if cursor.isStopped {
      open.append(located(container, key))
    } else {
      if count == 0, emptyArrays.count < 2 { emptyArrays.append(located(container, key)) }
      add(container, key)
    }
  }

  /// Ends the innermost object, whose closing bracket was read.
  private mutating func close(at end: Int) {
    guard let level = levels.popLast() else { return }
    if level.wantsKeys, let parent = levels.indices.last { levels[parent].compare(level) }
    let isKeyed = level.isKeyed
    if isKeyed {
      hasElements = true
      // Nothing inside similar objects is a candidate.
      contenders.removeAll { $0.range.lowerBound > level.start }
      largest.removeAll { $0.range.lowerBound > level.start }
    }
    // An object without similar members is not reported if one container in it has a quarter of
    // its bytes: it only leads to that container.
    let byteCount = end - level.start
    let isReported = isKeyed || level.largestInner * 4 < byteCount
    noteInner(isReported ? byteCount : level.largestInner)
    guard isKeyed || isReported && !levels.isEmpty else { return }
    add(container(level, end: end), level.key)
  }

  private mutating func noteInner(_ byteCount: Int) {
    guard let top = levels.indices.last else { return }
    levels[top].largestInner = max(levels[top].largestInner, byteCount)
  }

  private func container(_ level: Level, end: Int) -> Container {
    Container(
      form: level.isKeyed ? .keyed : .object, range: level.start..<end,
      elementCount: level.memberCount)
  }

  /// The container with its path: the keys of `levels` from the outermost, and its own.
  private func located(
    _ container: Container, _ key: JSONCursor.Text?, in levels: ArraySlice<Level>? = nil
  ) -> Container {
    var container = container
    container.path = (levels ?? self.levels[...]).compactMap(\.key)
    if let key { container.path.append(key) }
    return container
  }

  /// Remembers a closed container, if it may be chosen or is large.
  private mutating func add(_ container: Container, _ key: JSONCursor.Text?) {
    let isContender =
      container.holdsRecords && container.range.count * 4 >= container.range.upperBound - start
    let isReported = isReported(container)
    guard isContender || isReported else { return }
    let container = located(container, key)
    if isContender { contenders.append(container) }
    if isReported { report(container) }
  }

  /// Reports the containers in which the text ended. As for a closed object of similar objects,
  /// containers inside an open one are left out, unless they have at least half of its bytes.
  private mutating func reportOpen() {
    let keyed = open.first { $0.form == .keyed }
    if let keyed { largest.removeAll { $0.range.lowerBound > keyed.range.lowerBound } }
    for container in open.dropFirst() where isReported(container) {
      if let keyed, container.range.lowerBound > keyed.range.lowerBound,
        container.range.count * 2 < keyed.range.count
      {
        break
      }
      report(container)
    }
  }

  private func isReported(_ container: Container) -> Bool {
    container.elementCount > 0
      && (largest.count < Self.maximumReported
        || largest.contains { $0.range.count < container.range.count })
  }

  private mutating func report(_ container: Container) {
    if largest.count == Self.maximumReported,
      let smallest = largest.indices.min(by: { largest[$0].range.count < largest[$1].range.count })
    {
      largest.remove(at: smallest)
    }
    largest.append(container)
  }

  /// FNV-1a of a key.
  private static func hash(_ key: JSONCursor.Text, in bytes: borrowing RawSpan) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    if key.isEscaped {
      for byte in key.decoded(in: bytes) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    } else {
      for offset in key.range {
        hash = (hash ^ UInt64(bytes.byte(at: offset))) &* 0x100_0000_01B3
      }
    }
    return hash
  }
}

extension ContainerTrace {
  /// An object that is open.
  private struct Level {
    /// Members that are compared with their neighbours.
    static let maximumCompared = 64
    /// Keys of a member that are compared.
    static let maximumKeys = 1024

    var start: Int
    var key: JSONCursor.Text?
    var memberCount = 0
    var objectCount = 0
    /// The size of the largest container in it that is reported.
    var largestInner = 0
    /// Whether the parent compares the keys of this object.
    var wantsKeys = false
    /// The hashes of its first keys, if they are compared.
    private var keys: [UInt64] = []
    private var previous: [UInt64]?
    private var similarity = 0.0
    private var pairCount = 0

    init(start: Int, key: JSONCursor.Text? = nil) {
      self.start = start
      self.key = key
    }

    /// Whether the next key is to be added.
    var wantsKey: Bool { wantsKeys && keys.count < Self.maximumKeys }

    mutating func add(_ key: UInt64) { keys.append(key) }

    /// Whether the keys of the current member are compared.
    var comparesMembers: Bool {
      objectCount == memberCount && memberCount <= Self.maximumCompared
    }

    /// Whether it is an object of similar objects: the mean similarity of neighbours is at least
    /// 0.6 (Jaccard).
    var isKeyed: Bool {
      memberCount >= 3 && objectCount == memberCount && pairCount > 0
        && similarity / Double(pairCount) >= 0.6
    }

    /// Compares the keys of a member with those of the member before.
    mutating func compare(_ member: Level) {
      let keys = member.keys.sorted()
      if let previous {
        similarity += Self.similarity(previous, keys)
        pairCount += 1
      }
      previous = keys
    }

    /// The common share of two sorted lists; the repetitions of a key count once.
    private static func similarity(_ left: [UInt64], _ right: [UInt64]) -> Double {
      var (common, all) = (0, 0)
      var (first, second) = (left.startIndex, right.startIndex)
      while first < left.count || second < right.count {
        let a = first < left.count ? left[first] : UInt64.max
        let b = second < right.count ? right[second] : UInt64.max
        let key = min(a, b)
        all += 1
        if a == b, first < left.count, second < right.count { common += 1 }
        while first < left.count, left[first] == key { first += 1 }
        while second < right.count, right[second] == key { second += 1 }
      }
      return Double(common) / Double(max(all, 1))
    }
  }
}
