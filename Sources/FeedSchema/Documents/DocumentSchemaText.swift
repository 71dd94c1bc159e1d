package import JSONStream

extension PayloadSchema {
  /// The schema of documents with the statistics of their values, as JSON Schema 2020-12.
  ///
  /// Statistics without a keyword in JSON Schema are in the annotation `x-feedcore`: the number of
  /// records that have a path, for each type the number of values and the first record, how often
  /// each text of an `enum` occurs, and how numbers and dates are spread.
  package func documentText(_ statistics: DocumentStatistics?) -> [UInt8] {
    guard let document else { return jsonText }
    var writer = DocumentSchemaWriter(self, document)
    return writer.text(statistics ?? DocumentStatistics())
  }
}

private struct DocumentSchemaWriter {
  private static let maximumDepth = 40

  private let schema: PayloadSchema
  private let document: DocumentForm
  private let fields: [[String]: PayloadSchema.Field]
  private var pathsLeft = DocumentStatistics.maximumPaths
  private var isTruncated = false

  init(_ schema: PayloadSchema, _ document: DocumentForm) {
    self.schema = schema
    self.document = document
    var fields: [[String]: PayloadSchema.Field] = [:]
    for field in schema.fields where document.compositions[field.id] == nil {
      fields[field.path] = field
    }
    self.fields = fields
  }

  mutating func text(_ statistics: DocumentStatistics) -> [UInt8] {
    var root = statistics.root
    // Fields are listed even if no record has them.
    for path in fields.keys.sorted(by: { $0.joined(separator: "/") < $1.joined(separator: "/") }) {
      root.list(path[...])
    }
    var body = JSONLine()
    describe(root, at: [], depth: 0, objects: statistics.records, to: &body)
    var line = JSONLine()
    line.add("$schema", PayloadSchema.dialect)
    line.add(PayloadSchema.annotation, annotation(statistics))
    line.add(members: body)
    return line.text
  }

  private func annotation(_ statistics: DocumentStatistics) -> JSONLine {
    var line = JSONLine()
    line.add("version", PayloadSchema.annotationVersion)
    line.add("kind", schema.name)
    line.add("form", "document")
    if document.conforms { line.add("conforms", true) }
    line.add("records", document.plan.pointer)
    line.add("framing", document.plan.framing.name)
    switch document.key {
    case .position, .member: line.add("key", schema.keyTexts[0])
    case .field(let id):
      line.add("key", schema.keyTexts)
      line.add("keyID", id)
    }
    line.add("count", statistics.records)
    if statistics.lostValues > 0 { line.add("uncounted", statistics.lostValues) }
    if isTruncated { line.add("truncated", true) }
    // Records that are objects are not counted as values.
    let types = types(statistics.root.node)
    if let types { line.add("types", types) }
    return line
  }

  /// The number of values of each type, and the first record of each; nil if there are none.
  private func types(_ node: PathNode) -> JSONLine? {
    guard node.valueCount > 0 else { return nil }
    var types = JSONLine()
    for type in ValueType.allCases where node.tally(type).count > 0 {
      var tally = JSONLine()
      tally.add("count", node.tally(type).count)
      tally.add("first", node.tally(type).first + 1)
      if type == .boolean, let trues = node.trues { tally.add("true", trues) }
      types.add(type.name, tally)
    }
    return types
  }

  /// - Parameters:
  ///   - path: the keys to the branch; nil below the elements of an array or the members of a map.
  ///   - depth: the number of keys and arrays above it.
  ///   - objects: the number of records.
  private mutating func describe(
    _ branch: DocumentStatistics.Branch, at path: [String]?, depth: Int, objects: Int,
    to line: inout JSONLine
  ) {
    let isRoot = depth == 0
    // Each level of a record is two levels of the schema, which has to be readable as JSON.
    guard depth <= Self.maximumDepth else {
      isTruncated = true
      return
    }
    let node = branch.node
    var types = ValueType.allCases.filter { node.tally($0).count > 0 }
    // Every integer is a number.
    if types.contains(.number) { types.removeAll { $0 == .integer } }
    // Records that are objects are not counted as values.
    if isRoot, objects > node.valueCount || types.isEmpty && !branch.members.isEmpty {
      types.append(.object)
    }
    if types.count == 1 { line.add("type", types[0].name) }
    if types.count > 1 { line.add("type", types.map(\.name)) }
    describeScalars(node, to: &line)
    if !isRoot { describeCounts(node, path, to: &line) }
    if let elements = branch.elements.first {
      var items = JSONLine()
      describe(elements, at: nil, depth: depth + 1, objects: 0, to: &items)
      line.add("items", items)
    }
    guard !branch.members.isEmpty else { return }
    let owners = isRoot ? objects - node.valueCount : node.tally(.object).count
    if branch.isMap {
      var values = JSONLine()
      describe(branch.members[0].branch, at: nil, depth: depth + 1, objects: 0, to: &values)
      return line.add("additionalProperties", values)
    }
    var properties = JSONLine()
    var required: [String] = []
    for (key, member) in branch.members {
      guard pathsLeft > 0 else {
        isTruncated = true
        break
      }
      pathsLeft -= 1
      // A repeated key has several values in one record.
      let isInAll =
        isRoot
        ? member.node.records == owners
        : member.node.valueCount == owners && member.node.records == node.records
      if owners > 0, isInAll { required.append(key) }
      var inner = JSONLine()
      describe(
        member, at: path.map { $0 + [key] }, depth: depth + 1, objects: 0, to: &inner)
      properties.add(key, inner)
    }
    if !required.isEmpty { line.add("required", required) }
    line.add("properties", properties)
  }

  private func describeScalars(_ node: PathNode, to line: inout JSONLine) {
    if let numbers = node.numbers {
      line.add("minimum", json: numbers.range.lowerBound.schemaDigits.utf8)
      line.add("maximum", json: numbers.range.upperBound.schemaDigits.utf8)
    }
    guard let bytes = node.textBytes else { return }
    // A text has no more characters than bytes.
    line.add("maxLength", bytes.upperBound)
    let hasTextsAlone = node.hasTextsAlone
    if hasTextsAlone, node.formats.contains(.uuid) {
      line.add("format", "uuid")
    } else if hasTextsAlone, node.formats.contains(.dateTime) {
      line.add("format", "date-time")
    } else if hasTextsAlone, node.formats.contains(.uri) {
      line.add("format", "uri")
    }
    if let choices = node.choices { line.add("enum", json: Self.array(choices.map(\.text))) }
  }

  private func describeCounts(_ node: PathNode, _ path: [String]?, to line: inout JSONLine) {
    var annotation = JSONLine()
    if let path, let field = fields[path] {
      annotation.add("id", field.id)
      if field.isIndexed { annotation.add("index", true) }
      if field.isImage { annotation.add("image", true) }
    }
    annotation.add("count", node.records)
    annotation.add("types", types(node) ?? JSONLine())
    if let counts = node.choices?.compactMap(\.count), counts.count == node.choices?.count {
      annotation.add("enum", json: Self.array(counts))
    }
    if let histogram = node.numbers?.histogram {
      annotation.add("histogram", Self.line(histogram, from: histogram.lowerBound))
    }
    if let dates = node.dates { annotation.add("dates", Self.line(dates)) }
    line.add(PayloadSchema.annotation, annotation)
  }

  private static func line(_ dates: PathNode.Spread) -> JSONLine {
    var line = JSONLine()
    for (key, bound) in [("earliest", dates.range.lowerBound), ("latest", dates.range.upperBound)] {
      line.add(
        key, DateText.text(referenceSeconds: bound).map { String(decoding: $0, as: UTF8.self) })
    }
    if let histogram = dates.histogram {
      line.add(
        "histogram", self.line(histogram, from: histogram.lowerBound + DateText.unixReference))
    }
    return line
  }

  /// - Parameter lowerBound: where the first bin begins. That of dates is in seconds since 1970.
  private static func line(_ histogram: NumberHistogram, from lowerBound: Double) -> JSONLine {
    var line = JSONLine()
    line.add("from", json: lowerBound.schemaDigits.utf8)
    line.add("width", json: histogram.width.schemaDigits.utf8)
    line.add("counts", json: array(histogram.counts))
    return line
  }

  private static func array(_ counts: [Int]) -> [UInt8] {
    Array("[\(counts.map(String.init).joined(separator: ","))]".utf8)
  }

  /// An array of strings, each given as it is written in a document.
  private static func array(_ values: [[UInt8]]) -> [UInt8] {
    let texts = values.map { [0x22] + $0 + [0x22] }.joined(separator: [0x2C])
    return [0x5B] + Array(texts) + [0x5D]
  }
}

extension PathNode {
  fileprivate var hasTextsAlone: Bool { tally(.string).count == valueCount }

  /// The texts, if they are few and repeated, as for an enumeration; nil otherwise.
  fileprivate var choices: [ListedText]? {
    guard hasTextsAlone, textBytes != nil, let values, values.count * 2 <= valueCount else {
      return nil
    }
    return values
  }
}

extension Double {
  /// The shortest decimal, without a fraction for a whole number.
  package var schemaDigits: String { Int64(exactly: self).map(String.init) ?? "\(self)" }
}

extension DocumentStatistics.Branch {
  /// Adds a path without values.
  fileprivate mutating func list(_ path: ArraySlice<String>) {
    guard let key = path.first, !isMap else { return }
    if self[key] == nil { add(DocumentStatistics.Branch(), for: key) }
    guard let place = members.firstIndex(where: { $0.key == key }) else { return }
    members[place].branch.list(path.dropFirst())
  }
}

extension DocumentPlan.Framing {
  /// The name in a schema's text.
  package var name: String {
    switch self {
    case .array: "array"
    case .lines: "lines"
    case .concatenated: "concatenated"
    case .sequence: "sequence"
    case .keyed: "keyed"
    case .rows: "rows"
    case .single: "single"
    }
  }

  package init?(named name: String) {
    guard let framing = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = framing
  }
}
