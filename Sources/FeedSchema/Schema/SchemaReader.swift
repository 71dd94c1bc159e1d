import FeedRecord
import JSONStream

extension PayloadSchema {
  /// Reads a schema from JSON text, as ``jsonText`` writes it.
  ///
  /// - Throws: ``SchemaError``, with the position, for a text that is not JSON or longer than 1
  ///   MiB, for a keyword that FeedCore does not check, and for parts that are inconsistent.
  public init(jsonText text: RawSpan) throws(SchemaError) {
    try self.init(jsonText: text, isStored: false)
  }

  /// - Parameter isStored: whether a store holds the text. Statistics of a later version are then
  ///   skipped.
  package init(jsonText text: RawSpan, isStored: Bool) throws(SchemaError) {
    var reader = SchemaReader(skipsStatistics: isStored)
    self = try reader.schema(try JSONTree(schemaText: text))
  }
}

extension JSONTree {
  /// Reads the text of a schema, which has a maximum length.
  init(schemaText text: RawSpan) throws(SchemaError) {
    guard text.byteCount <= PayloadSchema.maximumTextBytes else {
      throw SchemaError("the schema is longer than \(PayloadSchema.maximumTextBytes) bytes")
    }
    do throws(JSONTree.Fault) {
      self = try JSONTree(parsing: text)
    } catch {
      throw SchemaError(
        "the schema is not valid JSON at byte \(error.byteOffset): \(error.reason)",
        at: error.pointer)
    }
  }
}

/// Makes a schema from JSON Schema 2020-12 with annotations.
struct SchemaReader {
  private typealias Field = PayloadSchema.Field

  /// Keywords that describe stored values. FeedCore writes them, and checks none of them.
  private static let statistics: Set = ["enum", "maximum", "maxLength", "minimum", "minLength"]

  private let skipsStatistics: Bool
  private var fields: [Field] = []
  private var paths: [UInt16: String] = [:]

  init(skipsStatistics: Bool) { self.skipsStatistics = skipsStatistics }

  mutating func schema(_ tree: JSONTree) throws(SchemaError) -> PayloadSchema {
    let root = try SchemaNode(tree, at: "")
    try root.requireDialect()
    if skipsStatistics, DocumentSchemaReader.isDocument(root) {
      var reader = DocumentSchemaReader()
      return try reader.schema(root)
    }
    try read(object: root, path: [], isRequired: true)
    let annotation = try root.rootAnnotation()
    if let form = annotation["form"], form.string != "flat" {
      throw SchemaError("the form of a contract is flat", at: annotation.pointer + "/form")
    }
    let indexed = try names(annotation, "index")
    for id in indexed {
      fields = fields.map { $0.id == id ? Self.indexed($0) : $0 }
    }
    guard let key = try names(annotation, "key").first else {
      throw SchemaError("a contract has one key field", at: annotation.pointer + "/key")
    }
    let number = try annotation.require("identifier", "a number of 32 bits", \.integer)
    guard let identifier = UInt32(exactly: number) else {
      throw SchemaError(
        "the number \(number) has more than 32 bits", at: annotation.pointer + "/identifier")
    }
    let schema = try PayloadSchema(
      name: annotation.require("kind", "a text", \.string), identifier: identifier,
      recordKey: recordKey(annotation), key: key, fields: fields)
    guard let success = annotation["success"] else { return schema }
    let state = try SchemaNode(success, at: annotation.pointer + "/success")
    return schema.reportingSuccess(
      in: try state.require("key", "a text", \.string),
      as: try state.require("value", "a text", \.string))
  }

  private static func indexed(_ field: Field) -> Field {
    Field(
      id: field.id, path: field.path, kind: field.kind, isRequired: field.isRequired,
      isIndexed: true, isImage: field.isImage)
  }

  private func recordKey(_ annotation: SchemaNode) throws(SchemaError) -> String? {
    guard annotation["records"] != nil else { return nil }
    let pointer = try annotation.require("records", "a JSON Pointer", \.string)
    if pointer.isEmpty { return nil }
    let keys = pointer.parts(separatedBy: "/", omittingEmpty: false)
    guard keys.count == 2, keys[0].isEmpty else {
      throw SchemaError(
        "the records of a contract are the document or a member of it, as in \"/items\"",
        at: annotation.pointer + "/records")
    }
    return keys[1].jsonPointerUnescaped
  }

  /// The ids of the fields that a member of the annotation names.
  private func names(
    _ annotation: SchemaNode, _ key: String
  ) throws(SchemaError) -> [UInt16] {
    var ids: [UInt16] = []
    let pointer = annotation.pointer + "/" + key
    for (index, name) in (annotation[key]?.elements ?? []).enumerated() {
      // Earlier versions wrote keys with brackets or quotes as they are.
      let field =
        fields.first { $0.pathText == name.string } ?? fields.first { $0.name == name.string }
      guard let field else {
        throw SchemaError(
          "the schema has no field \(name.string ?? "of this name")", at: "\(pointer)/\(index)")
      }
      ids.append(field.id)
    }
    return ids
  }

  /// - Parameters:
  ///   - path: the keys that lead to the object.
  ///   - isRequired: whether every record has the object.
  private mutating func read(
    object node: SchemaNode, path: [String], isRequired: Bool
  ) throws(SchemaError) {
    var known: Set = ["type", "required", "properties", PayloadSchema.annotation]
    if path.isEmpty { known.insert("$schema") }
    try node.refuseKeywords(except: known.union(skipsStatistics ? Self.statistics : []))
    var required: Set<String> = []
    for (index, name) in (node["required"]?.elements ?? []).enumerated() {
      guard let name = name.string else {
        throw SchemaError(
          "the name of a property is a text", at: "\(node.pointer)/required/\(index)")
      }
      required.insert(name)
    }
    let properties = try SchemaNode(
      node["properties"] ?? .object([]), at: node.pointer + "/properties")
    for member in properties.members {
      let inner = try SchemaNode(member.value, at: properties.pointer(of: member.key))
      let path = path + [member.key]
      let isRequired = isRequired && required.contains(member.key)
      let (type, isNullable) = try inner.type()
      if type == "object" {
        try read(object: inner, path: path, isRequired: isRequired && !isNullable)
      } else {
        try read(leaf: inner, type, path: path, isRequired: isRequired && !isNullable)
      }
    }
  }

  private mutating func read(
    leaf node: SchemaNode, _ type: String, path: [String], isRequired: Bool
  ) throws(SchemaError) {
    let known: Set = ["type", "format", "items", PayloadSchema.annotation]
    try node.refuseKeywords(except: known.union(skipsStatistics ? Self.statistics : []))
    let annotation = try node.annotation()
    let number = try annotation.require("id", "a number of 16 bits", \.integer)
    guard let id = UInt16(exactly: number) else {
      throw SchemaError("the id \(number) has more than 16 bits", at: annotation.pointer + "/id")
    }
    let field = Field(
      id: id, path: path, kind: try node.kind(type), isRequired: isRequired,
      isIndexed: annotation["index"]?.boolean ?? false,
      isImage: annotation["image"]?.boolean ?? false)
    if let other = paths.updateValue(field.pathText, forKey: id) {
      throw SchemaError(
        "id \(id) is used for \(other) and for \(field.pathText)", at: annotation.pointer + "/id")
    }
    fields.append(field)
    guard fields.count <= RecordLayout.maximumFieldCount else {
      throw SchemaError(
        "a contract has at most \(RecordLayout.maximumFieldCount) fields", at: node.pointer)
    }
  }
}

/// An object of a schema's text and its position.
struct SchemaNode {
  let members: [JSONTree.Member]
  let pointer: String
  private let byKey: [String: JSONTree]

  init(_ tree: JSONTree, at pointer: String) throws(SchemaError) {
    guard let members = tree.members else {
      throw SchemaError("an object is expected here", at: pointer)
    }
    var byKey: [String: JSONTree] = [:]
    for member in members where byKey.updateValue(member.value, forKey: member.key) != nil {
      throw SchemaError("the key \(member.key) occurs twice", at: pointer)
    }
    self.members = members
    self.byKey = byKey
    self.pointer = pointer
  }

  subscript(key: String) -> JSONTree? { byKey[key] }

  func pointer(of key: String) -> String { pointer + "/" + key.jsonPointerEscaped }

  func require<Value>(
    _ key: String, _ expected: String, _ value: (JSONTree) -> Value?
  ) throws(SchemaError) -> Value {
    guard let found = self[key].flatMap(value) else {
      throw SchemaError("\(key) has to be \(expected)", at: pointer(of: key))
    }
    return found
  }

  func annotation() throws(SchemaError) -> SchemaNode {
    guard let tree = self[PayloadSchema.annotation] else {
      throw SchemaError("the annotation \(PayloadSchema.annotation) is missing", at: pointer)
    }
    return try SchemaNode(tree, at: pointer(of: PayloadSchema.annotation))
  }

  /// The annotation of a whole schema.
  ///
  /// - Throws: ``SchemaError`` for another version than this program writes.
  func rootAnnotation() throws(SchemaError) -> SchemaNode {
    let annotation = try annotation()
    try annotation.requireVersion()
    return annotation
  }

  /// - Throws: ``SchemaError`` for an annotation of another version than this program writes.
  func requireVersion() throws(SchemaError) {
    let version = try require("version", "a number", \.integer)
    guard version == PayloadSchema.annotationVersion else {
      throw SchemaError(
        "the schema has version \(version), this program knows"
          + " \(PayloadSchema.annotationVersion); use a newer FeedCore",
        at: pointer + "/version")
    }
  }

  func requireDialect() throws(SchemaError) {
    guard let dialect = self["$schema"], dialect.string != PayloadSchema.dialect else { return }
    throw SchemaError(
      "the schema has another dialect than \(PayloadSchema.dialect)", at: "/$schema")
  }

  func refuseKeywords(except known: Set<String>) throws(SchemaError) {
    guard let member = members.first(where: { !known.contains($0.key) }) else { return }
    throw SchemaError("FeedCore does not check `\(member.key)`", at: pointer)
  }

  /// The type of the value, and whether it may be null.
  func type() throws(SchemaError) -> (name: String, isNullable: Bool) {
    let names = self["type"].flatMap { $0.elements ?? [$0] } ?? []
    let types = names.compactMap(\.string).filter { $0 != "null" }
    guard types.count == 1, names.count - types.count <= 1, names.allSatisfy({ $0.string != nil })
    else {
      throw SchemaError(
        "a field of a contract has one type, or one and null", at: pointer(of: "type"))
    }
    return (types[0], names.count == 2)
  }

  /// The kind of a field's value.
  func kind(_ type: String) throws(SchemaError) -> PayloadSchema.Kind {
    let format = self["format"]?.string
    if type == "array" {
      guard self["items"] == .object([.init(key: "type", value: .string("string"))]) else {
        throw SchemaError(
          "a list of a contract has texts: \"items\": {\"type\": \"string\"}",
          at: pointer(of: "items"))
      }
    } else if self["items"] != nil {
      throw SchemaError("only an array has `items`", at: pointer(of: "items"))
    }
    switch (type, format) {
    case ("string", nil): return .text
    case ("string", "uri-reference"), ("string", "uri"): return .url
    case ("string", "uuid"): return .uuid
    case ("string", "date-time"): return .date
    case ("integer", nil): return .integer
    case ("number", nil): return .number
    case ("boolean", nil): return .boolean
    case ("array", nil): return .textList
    case (_, let format?):
      throw SchemaError(
        "FeedCore does not check the format \(format) of a value of type \(type)",
        at: pointer(of: "format"))
    default:
      throw SchemaError(
        "a contract has no type \(type); use string, integer, number, boolean, array or object",
        at: pointer(of: "type"))
    }
  }
}
