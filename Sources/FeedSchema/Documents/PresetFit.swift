@_spi(Records) package import JSONStream

/// Finds the contract that holds the records of a document without loss.
package enum PresetFit {
  /// The contract of a catalog that names every key of the first records, and whose fields their
  /// values fit; nil if there is none. Of several, the one with the most required fields.
  ///
  /// The array of records has to be where the contract puts it. An array that is the document,
  /// lines, and one object may have records of any contract. What stands next to the records does
  /// not matter.
  ///
  /// - Parameters:
  ///   - head: the first bytes of the document, in which the records were found.
  ///   - dates: the dates that are accepted.
  package static func schema(
    of catalog: PayloadCatalog, head: RawSpan, found: RecordsFinder.Found,
    dates: PayloadParser.Dates = .strict
  ) -> PayloadSchema? {
    let candidates = catalog.schemas.filter { hasFraming(of: $0, found) }
    guard !found.records.isEmpty else {
      // Without a record only the location is left to tell the contract.
      return candidates.count == 1 && found.hasAllRecords ? candidates.first : nil
    }
    var best: PayloadSchema?
    for schema in candidates where fits(schema, head, found.records, dates) {
      if let best, best.requiredCount >= schema.requiredCount { continue }
      best = schema
    }
    return best
  }

  private static func hasFraming(
    of schema: PayloadSchema, _ found: RecordsFinder.Found
  ) -> Bool {
    guard found.columns == nil else { return false }
    switch found.plan.framing {
    case .array: return found.plan.path.isEmpty || found.plan.path == [schema.recordKey]
    case .lines, .single: return true
    case .concatenated, .sequence, .keyed, .rows: return false
    }
  }

  private static func fits(
    _ schema: PayloadSchema, _ head: RawSpan, _ records: [Range<Int>], _ dates: PayloadParser.Dates
  ) -> Bool {
    let outline = SchemaOutline(schema, dates)
    for record in records {
      var cursor = JSONCursor(head, at: record.lowerBound)
      guard outline.accepts(&cursor) else { return false }
    }
    return true
  }
}

extension PayloadSchema {
  fileprivate var requiredCount: Int { fields.count(where: \.isRequired) }
}

/// The keys of a contract's records as a tree.
private struct SchemaOutline {
  private struct Node {
    let key: [UInt8]
    /// The field; nil for an object of fields.
    let field: PayloadSchema.Field?
    var children: [Node] = []

    var isRequired: Bool { field?.isRequired ?? children.contains(where: \.isRequired) }
  }

  private let root: [Node]
  private let takesCommonDates: Bool

  init(_ schema: PayloadSchema, _ dates: PayloadParser.Dates) {
    root = Self.nodes(schema.fields[...], depth: 0)
    takesCommonDates = dates == .lenient
  }

  // The fields of one object are neighbours.
  private static func nodes(_ fields: ArraySlice<PayloadSchema.Field>, depth: Int) -> [Node] {
    var nodes: [Node] = []
    var rest = fields
    while let field = rest.first {
      let key = field.path[depth]
      let members = rest.prefix { $0.path[depth] == key }
      rest = rest.dropFirst(members.count)
      let isLeaf = field.path.count == depth + 1
      nodes.append(
        Node(
          key: Array(key.utf8), field: isLeaf ? field : nil,
          children: isLeaf ? [] : Self.nodes(members, depth: depth + 1)))
    }
    return nodes
  }

  /// Consumes a record. Returns false for a value that is no record of the contract, or has more.
  func accepts(_ cursor: inout JSONCursor) -> Bool { accepts(root, &cursor) }

  private func accepts(_ nodes: [Node], _ cursor: inout JSONCursor) -> Bool {
    guard cursor.nextKind() == .object, cursor.enter() != nil else { return false }
    var isSeen = [Bool](repeating: false, count: nodes.count)
    while let key = cursor.nextKey() {
      // Of a repeated key one value would be lost.
      guard let index = nodes.indices.first(where: { key.equals(nodes[$0].key, in: cursor.bytes) }),
        !isSeen[index]
      else { return false }
      isSeen[index] = true
      if let field = nodes[index].field {
        guard accepts(field, &cursor) else { return false }
      } else {
        guard accepts(nodes[index].children, &cursor) else { return false }
      }
    }
    return !cursor.isStopped
      && nodes.indices.allSatisfy { isSeen[$0] || !nodes[$0].isRequired }
  }

  private func accepts(_ field: PayloadSchema.Field, _ cursor: inout JSONCursor) -> Bool {
    let kind = cursor.nextKind()
    if kind == .null { return cursor.skipValue() != nil && !field.isRequired }
    switch field.kind {
    case .text: return cursor.nextString() != nil
    case .json: return cursor.skipValue() != nil
    case .url:
      // An optional URL may be any text.
      return field.isRequired
        ? text(&cursor) { URLText.isReadable($0) } : cursor.nextString() != nil
    case .uuid: return text(&cursor) { UUIDText.parse($0) != nil }
    case .date:
      return text(&cursor) {
        DateText.parse($0) != nil || takesCommonDates && CommonDateText.parse($0) != nil
      }
    case .boolean: return (kind == .true || kind == .false) && cursor.skipValue() != nil
    case .integer: return number(&cursor) { NumberText.integer($0) != nil }
    case .number: return number(&cursor) { NumberText.number($0) != nil }
    case .textList:
      guard kind == .array, cursor.enter() != nil else { return false }
      while cursor.nextElement() != nil {
        guard cursor.nextString() != nil else { return false }
      }
      return !cursor.isStopped
    }
  }

  private func text(
    _ cursor: inout JSONCursor, _ isValid: (borrowing RawSpan) -> Bool
  ) -> Bool {
    guard let text = cursor.nextString() else { return false }
    if text.isEscaped { return isValid(text.decoded(in: cursor.bytes).span.bytes) }
    return isValid(cursor.bytes.extracting(text.range))
  }

  private func number(
    _ cursor: inout JSONCursor, _ isValid: (borrowing RawSpan) -> Bool
  ) -> Bool {
    guard cursor.nextKind() == .number, let range = cursor.skipValue() else { return false }
    return isValid(cursor.bytes.extracting(range))
  }
}
