import CFeedScan
@_spi(Records) import JSONStream

/// The fields of a contract as a tree of keys, used to read the JSON texts of records.
struct ContractOutline: Sendable {
  /// Whether a record may have keys that the contract does not name.
  enum OtherKeys { case refused, allowed }

  private struct Node: Sendable {
    let key: [UInt8]
    /// The number of the field; for an object of fields, a number after those of all fields.
    let slot: Int
    var children: [Node] = []
  }

  private let root: [Node]
  private let slotCount: Int
  private let fields: [PayloadSchema.Field]
  private let takesCommonDates: Bool
  private let refusesOtherKeys: Bool

  init(
    _ schema: PayloadSchema, dates: PayloadParser.Dates = .strict, otherKeys: OtherKeys
  ) {
    fields = schema.fields
    var slots = schema.fields.count
    root = Self.nodes(schema.fields.indices, of: schema.fields, depth: 0, &slots)
    slotCount = slots
    takesCommonDates = dates == .lenient
    refusesOtherKeys = otherKeys == .refused
  }

  // The fields of one object are neighbours.
  private static func nodes(
    _ indices: Range<Int>, of fields: [PayloadSchema.Field], depth: Int, _ slots: inout Int
  ) -> [Node] {
    var nodes: [Node] = []
    var rest = indices
    while let first = rest.first {
      let key = fields[first].path[depth]
      let members = rest.prefix { fields[$0].path[depth] == key }
      rest = rest.dropFirst(members.count)
      if fields[first].path.count == depth + 1 {
        nodes.append(Node(key: Array(key.utf8), slot: first))
        continue
      }
      let slot = slots
      slots += 1
      let children = Self.nodes(members, of: fields, depth: depth + 1, &slots)
      nodes.append(Node(key: Array(key.utf8), slot: slot, children: children))
    }
    return nodes
  }

  /// Whether the record at an offset of a text conforms to the contract.
  func accepts(_ text: RawSpan, at offset: Int = 0) -> Bool {
    guard let places = places(in: text, at: offset) else { return false }
    for (index, field) in fields.enumerated() {
      guard let place = places[index] else {
        if field.isRequired { return false }
        continue
      }
      guard accepts(field, text, at: place) else { return false }
    }
    return true
  }

  /// The offset of each field's value, nil for an absent field. Nil as a whole for a value that is
  /// not a record, and for a record with a refused or repeated key.
  func places(in text: RawSpan, at offset: Int = 0) -> [Int?]? {
    var cursor = JSONCursor(text, at: offset)
    var places = [Int?](repeating: nil, count: slotCount)
    return find(root, &cursor, &places) ? places : nil
  }

  private func find(
    _ nodes: [Node], _ cursor: inout JSONCursor, _ places: inout [Int?]
  ) -> Bool {
    guard cursor.nextKind() == .object, cursor.enter() != nil else { return false }
    while let key = cursor.nextKey() {
      guard let node = nodes.first(where: { key.equals($0.key, in: cursor.bytes) }) else {
        guard !refusesOtherKeys, cursor.skipValue() != nil else { return false }
        continue
      }
      // A repeated key would lose one of its values.
      guard places[node.slot] == nil else { return false }
      places[node.slot] = cursor.position
      if node.children.isEmpty {
        guard cursor.skipValue() != nil else { return false }
      } else {
        guard find(node.children, &cursor, &places) else { return false }
      }
    }
    return !cursor.isStopped
  }

  /// Whether the value at an offset fits a field.
  private func accepts(_ field: PayloadSchema.Field, _ text: RawSpan, at place: Int) -> Bool {
    var cursor = JSONCursor(text, at: place)
    let kind = cursor.nextKind()
    if kind == .null { return !field.isRequired }
    switch field.kind {
    case .json: return true
    case .text: return kind == .string
    case .url:
      // An optional URL may be any text.
      guard kind == .string, field.isRequired else { return kind == .string }
      return Self.scalar(&cursor) { URLText.isReadable($0) } ?? false
    case .textList:
      guard kind == .array, cursor.enter() != nil else { return false }
      while let element = cursor.nextElement() {
        guard element == .string, cursor.nextString() != nil else { return false }
      }
      return !cursor.isStopped
    case .uuid, .date, .integer, .number, .boolean:
      return Self.scalar(&cursor) { bytes in
        FixedValue(field.kind, kind?.ofTape ?? .absent, bytes) != nil
          || takesCommonDates && field.kind == .date && CommonDateText.parse(bytes) != nil
      } ?? false
    }
  }

  /// Passes the value of a string, or the text of another scalar; nil for any other value.
  static func scalar<Result>(
    _ cursor: inout JSONCursor, _ body: (borrowing RawSpan) -> Result
  ) -> Result? {
    if let text = cursor.nextString() {
      if text.isEscaped { return body(text.decoded(in: cursor.bytes).span.bytes) }
      return body(cursor.bytes.extracting(text.range))
    }
    guard cursor.nextKind()?.isContainer == false, let range = cursor.skipValue() else {
      return nil
    }
    return body(cursor.bytes.extracting(range))
  }
}

extension PayloadSchema {
  var requiredCount: Int { fields.count(where: \.isRequired) }
}

extension JSONCursor.Kind {
  /// The same kind on a tape.
  var ofTape: TapeEntry.Kind {
    switch self {
    case .object: .object
    case .array: .array
    case .string: .string
    case .number: .number
    case .true: .true
    case .false: .false
    case .null: .null
    }
  }
}
