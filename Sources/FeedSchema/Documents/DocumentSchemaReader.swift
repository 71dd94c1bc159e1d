import JSONStream

/// Reads the schema of a feed of documents, as `documentText(_:)` writes it.
package struct DocumentSchemaReader {
  package private(set) var statistics = DocumentStatistics()
  private var fields: [PayloadSchema.Field] = []

  /// Whether a text is the schema of documents and not a contract.
  static func isDocument(_ root: SchemaNode) -> Bool {
    root[PayloadSchema.annotation]?.value(at: ["form"])?.string == "document"
  }

  package init() {}

  /// Reads a text that a store holds.
  package mutating func schema(
    storedText text: RawSpan
  ) throws(SchemaError) -> PayloadSchema {
    let tree: JSONTree
    do throws(JSONTree.Fault) {
      tree = try JSONTree(parsing: text)
    } catch {
      throw SchemaError("the schema is not valid JSON: \(error.reason)", at: error.pointer)
    }
    return try schema(try SchemaNode(tree, at: ""))
  }

  mutating func schema(_ root: SchemaNode) throws(SchemaError) -> PayloadSchema {
    let annotation = try root.rootAnnotation()
    statistics.records = Self.count(annotation["count"]?.integer)
    statistics.lostValues = Self.count(annotation["uncounted"]?.integer)
    statistics.isTruncated = annotation["truncated"]?.boolean ?? false
    statistics.root = try branch(root, at: [], isRoot: true)
    read(annotation, root, into: &statistics.root.node)
    statistics.root.reindex()
    let framing = try annotation.require("framing", "the name of a framing", \.string)
    guard let framing = DocumentPlan.Framing(named: framing) else {
      throw SchemaError("\(framing) is no framing", at: annotation.pointer + "/framing")
    }
    let pointer = try annotation.require("records", "a JSON Pointer", \.string)
    let path = pointer.parts(separatedBy: "/", omittingEmpty: false).dropFirst()
    var form = DocumentForm(
      DocumentPlan(framing, at: path.map(\.jsonPointerUnescaped)), key: .position)
    form.conforms = annotation["conforms"]?.boolean ?? false
    try readKey(annotation, into: &form)
    fields.sort { $0.id < $1.id }
    return try PayloadSchema(
      documents: form, kind: annotation.require("kind", "a text", \.string), fields: fields)
  }

  private mutating func readKey(
    _ annotation: SchemaNode, into form: inout DocumentForm
  ) throws(SchemaError) {
    if let word = annotation["key"]?.string {
      form.key = word == DocumentForm.memberKey ? .member : .position
      return
    }
    let number = try annotation.require("keyID", "a number of 16 bits", \.integer)
    guard let id = UInt16(exactly: number) else {
      throw SchemaError(
        "the id \(number) has more than 16 bits", at: annotation.pointer + "/keyID")
    }
    form.key = .field(id)
    let parts = (annotation["key"]?.elements ?? []).compactMap(\.string)
    guard !fields.contains(where: { $0.id == id }) else { return }
    form.compositions[id] = try parts.map(PayloadSchema.path(ofText:))
    fields.append(.document(id: id, path: []))
  }

  /// - Parameter path: the keys to the branch; nil below the elements of an array or the members of a
  ///   map.
  private mutating func branch(
    _ node: SchemaNode, at path: [String]?, isRoot: Bool = false
  ) throws(SchemaError) -> DocumentStatistics.Branch {
    var branch = DocumentStatistics.Branch()
    if !isRoot, node[PayloadSchema.annotation] != nil {
      let annotation = try node.annotation()
      read(annotation, node, into: &branch.node)
      if let id = annotation["id"]?.integer.flatMap(UInt16.init(exactly:)), let path {
        fields.append(
          .document(
            id: id, path: path, isIndexed: annotation["index"]?.boolean ?? false,
            isImage: annotation["image"]?.boolean ?? false))
      }
    }
    if let items = node["items"] {
      let inner = try SchemaNode(items, at: node.pointer(of: "items"))
      branch.elements = [try self.branch(inner, at: nil)]
    }
    if let values = node["additionalProperties"], values.members != nil {
      let inner = try SchemaNode(values, at: node.pointer(of: "additionalProperties"))
      branch.isMap = true
      branch.add(try self.branch(inner, at: nil), for: "*")
    } else if let properties = node["properties"] {
      let all = try SchemaNode(properties, at: node.pointer(of: "properties"))
      for member in all.members {
        let inner = try SchemaNode(member.value, at: all.pointer(of: member.key))
        branch.add(
          try self.branch(inner, at: path.map { $0 + [member.key] }), for: member.key)
      }
    }
    return branch
  }

  /// A number of records or values, clamped so that sums do not overflow, whatever a text says.
  private static func count(_ number: Int?) -> Int { min(max(number ?? 0, 0), .maximumCount) }

  private func read(_ annotation: SchemaNode, _ schema: SchemaNode, into node: inout PathNode) {
    readNumbers(annotation, schema, into: &node)
    readTexts(annotation, schema, into: &node)
    node.records = Self.count(annotation["count"]?.integer)
    for type in ValueType.allCases {
      guard let tally = annotation["types"]?.value(at: [type.name]) else { continue }
      node.tallies[type.rawValue] = PathNode.Tally(
        count: Self.count(tally.value(at: ["count"])?.integer),
        first: max(Self.count(tally.value(at: ["first"])?.integer), 1) - 1)
    }
    node.trues = annotation["types"]?.value(at: [ValueType.boolean.name, "true"])?.integer
      .map(Self.count)
    let booleans = node.tally(.boolean).count
    node.trues = booleans == 0 ? 0 : node.trues.map { min($0, booleans) }
  }

  private func readNumbers(
    _ annotation: SchemaNode, _ schema: SchemaNode, into node: inout PathNode
  ) {
    if let low = schema["minimum"]?.double, let high = schema["maximum"]?.double, low <= high {
      node.numbers = PathNode.Spread(
        range: low...high, histogram: annotation["histogram"].flatMap { Self.histogram($0) })
    }
    guard let dates = annotation["dates"], let low = Self.date(dates.value(at: ["earliest"])),
      let high = Self.date(dates.value(at: ["latest"])), low <= high
    else { return }
    let histogram = dates.value(at: ["histogram"])
    node.dates = PathNode.Spread(
      range: low...high,
      histogram: histogram.flatMap {
        Self.histogram(
          $0, since: DateText.unixReference, unit: NumberHistogram.dateUnit)
      })
  }

  private static func date(_ value: JSONTree?) -> Double? {
    value?.string.flatMap { text in DateText.parse(Array(text.utf8).span.bytes) }
  }

  /// - Parameter reference: the offset that is subtracted from the lower bound.
  private static func histogram(
    _ value: JSONTree, since reference: Double = 0, unit: Double = 1
  ) -> NumberHistogram? {
    guard let lowerBound = value.value(at: ["from"])?.double,
      let width = value.value(at: ["width"])?.double,
      let counts = value.value(at: ["counts"])?.elements
    else { return nil }
    return NumberHistogram(
      from: lowerBound - reference, width: width, counts: counts.map { count($0.integer) },
      unit: unit)
  }

  private func readTexts(
    _ annotation: SchemaNode, _ schema: SchemaNode, into node: inout PathNode
  ) {
    if let longest = schema["maxLength"]?.integer { node.textBytes = 0...max(longest, 0) }
    node.formats =
      switch schema["format"]?.string {
      case "uuid": .uuid
      case "date-time": .dateTime
      case "uri": .uri
      // The schema of a path that also has nulls states no `format`.
      default: node.dates != nil ? .dateTime : node.textBytes == nil ? .all : []
      }
    let counts = annotation["enum"]?.elements ?? []
    node.values = schema["enum"]?.elements?.enumerated().compactMap { place, value in
      value.string.map { text in
        var bytes: [UInt8] = []
        JSONText.appendString(text, to: &bytes)
        let count = counts.indices.contains(place) ? counts[place].integer : nil
        return PathNode.ListedText(
          text: Array(bytes.dropFirst().dropLast()), count: count.map(Self.count))
      }
    }
    if node.textBytes == nil { node.values = [] }
  }
}

extension DocumentStatistics {
  /// The statistics in the stored text of a schema; nil if it cannot be read.
  package init?(schemaText text: [UInt8]) {
    var reader = DocumentSchemaReader()
    guard (try? reader.schema(storedText: text.span.bytes)) != nil else { return nil }
    self = reader.statistics
  }
}

extension PayloadSchema.Field {
  /// A span of documents.
  package static func document(
    id: UInt16, path: [String], isIndexed: Bool = false, isImage: Bool = false
  ) -> PayloadSchema.Field {
    PayloadSchema.Field(
      id: id, path: path, kind: .json, isRequired: false, isIndexed: isIndexed, isImage: isImage)
  }
}

extension PayloadSchema {
  /// The object keys of a path: keys joined by dots, or a JSON Pointer.
  ///
  /// - Throws: ``SchemaError`` for a text that is not a path, and for elements of arrays.
  package static func path(ofText text: String) throws(SchemaError) -> [String] {
    do throws(JSONPath.Fault) {
      let keys = try JSONPath(text).objectKeys()
      guard keys.isEmpty else { return keys }
    } catch {
      throw SchemaError("\(error)")
    }
    throw SchemaError("the path of a field is empty; name a value of the records, as in user.id")
  }
}
