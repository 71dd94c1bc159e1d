package import JSONStream

// A schema as JSON text: a subset of JSON Schema 2020-12, with the annotation `x-feedcore` for
// properties without a keyword in JSON Schema. The fields keep their order.
extension PayloadSchema {
  /// The maximum length of a schema's text in bytes.
  package static let maximumTextBytes = 1 << 20
  static let dialect = "https://json-schema.org/draft/2020-12/schema"
  static let annotation = "x-feedcore"
  static let annotationVersion = 1

  /// The schema as JSON text: JSON Schema 2020-12 with annotations from which the same schema can be
  /// made again. Equal schemas have the same bytes.
  public var jsonText: [UInt8] { jsonSchema(isAnnotated: true).text }

  /// The JSON Schema of a record in its output form.
  ///
  /// - Parameter isAnnotated: whether the text has everything needed to restore the schema, and not
  ///   only the form of its records.
  package func jsonSchema(isAnnotated: Bool) -> JSONLine {
    var line = JSONLine()
    if isAnnotated { line.add("$schema", Self.dialect) }
    object(fields.map { ($0.path[...], $0) }, isAnnotated ? self.annotation : nil, to: &line)
    return line
  }

  private var annotation: JSONLine {
    var line = JSONLine()
    line.add("version", Self.annotationVersion)
    line.add("kind", name)
    line.add("identifier", identifier)
    line.add("form", "flat")
    line.add("strict", true)
    line.add("records", recordsPointer)
    line.add("key", [keyField.pathText])
    if let success {
      var state = JSONLine()
      state.add("key", success.key)
      state.add("value", success.value)
      line.add("success", state)
    }
    return line
  }

  /// Where the array of records is in a document, as a JSON Pointer; empty for the document itself.
  package var recordsPointer: String { recordKey.map { "/" + $0.jsonPointerEscaped } ?? "" }

  /// - Parameters:
  ///   - fields: the fields with the rest of their paths within the object.
  ///   - annotation: the annotation at the top of the schema; nil to annotate nothing.
  private func object(
    _ fields: [(path: ArraySlice<String>, field: Field)], _ annotation: JSONLine?,
    isNested: Bool = false, to line: inout JSONLine
  ) {
    // A schema has the fields of one object next to each other.
    var names: [String] = []
    for name in fields.compactMap(\.path.first) where names.last != name { names.append(name) }
    var properties = JSONLine()
    var required: [String] = []
    for name in names {
      let members = fields.filter { $0.path.first == name }
      if members.contains(where: \.field.isRequired) { required.append(name) }
      if let leaf = members.first, leaf.path.count == 1 {
        properties.add(name, leaf.field.jsonSchema(isAnnotated: annotation != nil))
      } else {
        var inner = JSONLine()
        object(
          members.map { ($0.path.dropFirst(), $0.field) }, annotation, isNested: true, to: &inner)
        properties.add(name, inner)
      }
    }
    line.add("type", "object")
    line.add("required", required)
    if let annotation, !isNested { line.add(Self.annotation, annotation) }
    line.add("properties", properties)
  }
}

extension PayloadSchema {
  /// A path as a schema names it.
  package static func pathText(_ path: [String]) -> String {
    let isPlain = path.allSatisfy { key in
      // A minus sign before a path reverses an order.
      !key.isEmpty && key.utf8.first != UInt8(ascii: "/") && key.utf8.first != UInt8(ascii: "-")
        && !key.utf8.contains { #".[]""#.utf8.contains($0) }
    }
    return isPlain
      ? path.joined(separator: ".") : path.map { "/" + $0.jsonPointerEscaped }.joined()
  }

  /// A path as people read it, with one more step. A step that would be ambiguous is a JSON Pointer,
  /// which begins with a slash.
  package static func pathText(_ path: String, _ step: String) -> String {
    path + (path.isEmpty || step.utf8.first == UInt8(ascii: "/") ? "" : ".") + step
  }
}

extension PayloadSchema.Field {
  /// The schema of a value. An optional value may also be null.
  fileprivate func jsonSchema(isAnnotated: Bool) -> JSONLine {
    let (type, format): (String?, String?) =
      switch kind {
      case .text: ("string", nil)
      // An optional URL may be any text, so the form of a record does not promise a format.
      case .url: ("string", isAnnotated ? "uri-reference" : nil)
      case .uuid: ("string", "uuid")
      case .date: ("string", "date-time")
      case .textList: ("array", nil)
      case .json: (nil, nil)
      case .integer: ("integer", nil)
      case .number: ("number", nil)
      case .boolean: ("boolean", nil)
      }
    var line = JSONLine()
    if let type {
      if isRequired { line.add("type", type) } else { line.add("type", [type, "null"]) }
    }
    if let format { line.add("format", format) }
    if kind == .textList { line.add("items", json: #"{"type":"string"}"#.utf8) }
    if isAnnotated {
      var annotation = JSONLine()
      annotation.add("id", id)
      if isIndexed { annotation.add("index", true) }
      if isImage { annotation.add("image", true) }
      line.add(PayloadSchema.annotation, annotation)
    }
    return line
  }

  /// The path as a schema names it: its keys joined by dots, or a JSON Pointer if that would be
  /// ambiguous.
  package var pathText: String { PayloadSchema.pathText(path) }
}
