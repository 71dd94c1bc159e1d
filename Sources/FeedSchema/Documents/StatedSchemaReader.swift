import JSONStream

/// Reads a schema file of documents: the subset of JSON Schema 2020-12 that statistics can check,
/// with annotations. The stored schemas of documents have this form too.
struct StatedSchemaReader {
  private static let keywords: Set = [
    "type", "properties", "required", "items", "additionalProperties", "enum", "format", "minimum",
    "maximum", "minLength", "maxLength", PayloadSchema.annotation,
  ]
  /// The supported formats. An empty set accepts any text.
  private static let formats: [String: TextFormats] = [
    "uuid": .uuid, "date-time": .dateTime, "uri": .uri, "uri-reference": [],
  ]

  private var stated = StatedSchema()
  private var paths: [UInt16: String] = [:]

  mutating func schema(_ tree: JSONTree) throws(SchemaError) -> StatedSchema {
    let root = try SchemaNode(tree, at: "")
    try root.requireDialect()
    if root[PayloadSchema.annotation] != nil { try readPlace(try root.annotation()) }
    stated.record = try value(root, at: [])
    if root[PayloadSchema.annotation] != nil { try readKey(try root.annotation()) }
    return stated
  }

  private mutating func readPlace(_ annotation: SchemaNode) throws(SchemaError) {
    if annotation["version"] != nil { try annotation.requireVersion() }
    if let form = annotation["form"], form.string != "document", form.string != "flat" {
      throw SchemaError("the form is flat or document", at: annotation.pointer + "/form")
    }
    if annotation["records"] != nil {
      stated.records = try annotation.require("records", "a JSON Pointer", \.string)
    }
    guard annotation["framing"] != nil else { return }
    let name = try annotation.require("framing", "the name of a framing", \.string)
    guard let framing = DocumentPlan.Framing(named: name) else {
      throw SchemaError("\(name) is no framing", at: annotation.pointer + "/framing")
    }
    guard [.array, .keyed, .rows].contains(framing) || (stated.records ?? "").isEmpty else {
      throw SchemaError(
        "the framing \(name) has no place of its records", at: annotation.pointer + "/records")
    }
    stated.framing = framing
  }

  private mutating func readKey(_ annotation: SchemaNode) throws(SchemaError) {
    stated.key = try annotation.texts("key")
    let pointer = annotation.pointer
    for (index, text) in try annotation.texts("index").enumerated() {
      try requirePath(text, at: "\(pointer)/index/\(index)")
      stated.indexes.append(text)
    }
    let words = [DocumentForm.positionKey, DocumentForm.memberKey]
    for text in stated.key where stated.key.count > 1 || !words.contains(text) {
      try requirePath(text, at: pointer + "/key")
    }
    // The id of a composed key, which no property has.
    guard stated.key.count > 1, annotation["keyID"] != nil else { return }
    let id = try self.id(annotation, "keyID")
    try use(id, for: "the key", at: pointer + "/keyID")
    stated.fields.append(.document(id: id, path: []))
  }

  private func requirePath(_ text: String, at pointer: String) throws(SchemaError) {
    do throws(SchemaError) {
      _ = try PayloadSchema.path(ofText: text)
    } catch {
      throw SchemaError(error.message, at: pointer)
    }
  }

  /// - Parameter path: the keys to the value; nil below the elements of an array or the members of
  ///   a map, which are not fields.
  private mutating func value(
    _ node: SchemaNode, at path: [String]?
  ) throws(SchemaError) -> StatedValue {
    let isRoot = path?.isEmpty == true
    try node.refuseKeywords(except: isRoot ? Self.keywords.union(["$schema"]) : Self.keywords)
    var value = StatedValue()
    if node["type"] != nil { value.types = try types(node) }
    try readChoices(node, into: &value)
    try readLimits(node, into: &value)
    value.required = try node.texts("required")
    if !isRoot, node[PayloadSchema.annotation] != nil {
      try readField(try node.annotation(), at: path)
    }
    if let items = node["items"] {
      let inner = try SchemaNode(items, at: node.pointer(of: "items"))
      value.elements = [try self.value(inner, at: nil)]
    }
    if let properties = node["properties"] {
      let all = try SchemaNode(properties, at: node.pointer(of: "properties"))
      for member in all.members {
        let inner = try SchemaNode(member.value, at: all.pointer(of: member.key))
        let schema = try self.value(inner, at: path.map { $0 + [member.key] })
        value.members.append((member.key, schema))
      }
    }
    switch node["additionalProperties"] {
    case nil, .boolean(true): break
    case .boolean(false): value.others = .none
    case let other?:
      let inner = try SchemaNode(other, at: node.pointer(of: "additionalProperties"))
      value.others = .value(try self.value(inner, at: nil))
    }
    return value
  }

  private mutating func readField(
    _ annotation: SchemaNode, at path: [String]?
  ) throws(SchemaError) {
    let isIndexed = annotation["index"]?.boolean ?? false
    guard isIndexed || annotation["id"] != nil else { return }
    guard let path else {
      throw SchemaError(
        "a value in an array or a map is no field; it has no id and no index",
        at: annotation.pointer)
    }
    if isIndexed { stated.indexes.append(PayloadSchema.pathText(path)) }
    guard annotation["id"] != nil else { return }
    let id = try self.id(annotation, "id")
    try use(id, for: PayloadSchema.pathText(path), at: annotation.pointer + "/id")
    stated.fields.append(
      .document(id: id, path: path, isImage: annotation["image"]?.boolean ?? false))
  }

  private func id(_ annotation: SchemaNode, _ key: String) throws(SchemaError) -> UInt16 {
    let number = try annotation.require(key, "a number of 16 bits", \.integer)
    guard let id = UInt16(exactly: number), 1...DocumentForm.maximumFieldID ~= id else {
      throw SchemaError(
        "the id \(number) is not between 1 and \(DocumentForm.maximumFieldID)",
        at: annotation.pointer(of: key))
    }
    return id
  }

  private mutating func use(
    _ id: UInt16, for name: String, at pointer: String
  ) throws(SchemaError) {
    if let other = paths.updateValue(name, forKey: id) {
      throw SchemaError("id \(id) is used for \(other) and for \(name)", at: pointer)
    }
  }

  // MARK: Values

  private func types(_ node: SchemaNode) throws(SchemaError) -> Set<ValueType> {
    var types: Set<ValueType> = []
    for name in try node.texts("type") {
      guard let type = ValueType.allCases.first(where: { $0.name == name }) else {
        throw SchemaError("\(name) is no type of JSON Schema", at: node.pointer(of: "type"))
      }
      types.insert(type)
    }
    guard !types.isEmpty else {
      throw SchemaError("a value has at least one type", at: node.pointer(of: "type"))
    }
    return types
  }

  private func readChoices(
    _ node: SchemaNode, into value: inout StatedValue
  ) throws(SchemaError) {
    guard let tree = node["enum"] else { return }
    let choices = tree.elements ?? []
    let texts = Set(choices.compactMap(\.string))
    let isChecked = choices.allSatisfy { choice in
      choice.string.map { $0.utf8.count <= PathNode.maximumValueBytes } ?? (choice == .null)
    }
    guard isChecked, (1...PathNode.maximumValues).contains(choices.count) else {
      throw SchemaError(
        "an enum that FeedCore checks has at most \(PathNode.maximumValues) values; each is null or"
          + " a text of at most \(PathNode.maximumValueBytes) bytes", at: node.pointer(of: "enum"))
    }
    if !texts.isEmpty { value.choices = texts }
    // A value can fit only if it has the type of a choice: a text, or null.
    var types: Set<ValueType> = texts.isEmpty ? [] : [.string]
    if choices.contains(.null) { types.insert(.null) }
    value.types = value.types.map { $0.intersection(types) } ?? types
    if value.types?.isEmpty == true {
      throw SchemaError("no choice has the stated type", at: node.pointer(of: "enum"))
    }
  }

  private func readLimits(
    _ node: SchemaNode, into value: inout StatedValue
  ) throws(SchemaError) {
    value.minimum = try node.number("minimum")
    value.maximum = try node.number("maximum")
    value.minimumLength = try node.length("minLength")
    value.maximumLength = try node.length("maxLength")
    guard node["format"] != nil else { return }
    let name = try node.require("format", "a text", \.string)
    guard let format = Self.formats[name] else {
      throw SchemaError(
        "FeedCore does not check the format \(name)", at: node.pointer(of: "format"))
    }
    value.format = (name, format)
  }
}

extension SchemaNode {
  /// A list of texts, or one text; empty if there is none.
  fileprivate func texts(_ key: String) throws(SchemaError) -> [String] {
    guard let tree = self[key] else { return [] }
    let elements = tree.elements ?? [tree]
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count else {
      throw SchemaError("\(key) has to be texts", at: pointer(of: key))
    }
    return texts
  }

  fileprivate func number(_ key: String) throws(SchemaError) -> Double? {
    guard self[key] != nil else { return nil }
    return try require(key, "a number") { tree in
      if case .number(let digits) = tree {
        NumberText.number(Array(digits.utf8).span.bytes)
      } else {
        nil
      }
    }
  }

  fileprivate func length(_ key: String) throws(SchemaError) -> Int? {
    guard self[key] != nil else { return nil }
    return try require(key, "a whole number from 0") { $0.integer.flatMap { $0 < 0 ? nil : $0 } }
  }
}
