import FeedSchema
import JSONStream

extension PayloadSchema {
  /// The JSON Schema (2020-12) of a record in its output form.
  var jsonSchema: JSONLine { Self.object(fields.map { ($0.path[...], $0) }) }

  /// - Parameter fields: the fields with the rest of their paths within the object.
  private static func object(_ fields: [(path: ArraySlice<String>, field: Field)]) -> JSONLine {
    var names: [String] = []
    for name in fields.compactMap(\.path.first) where !names.contains(name) { names.append(name) }
    var properties = JSONLine()
    var required: [String] = []
    for name in names {
      let members = fields.filter { $0.path.first == name }
      if members.contains(where: \.field.isRequired) { required.append(name) }
      if let leaf = members.first, leaf.path.count == 1 {
        properties.add(name, leaf.field.jsonSchema)
      } else {
        properties.add(name, object(members.map { ($0.path.dropFirst(), $0.field) }))
      }
    }
    var line = JSONLine()
    line.add("type", "object")
    line.add("required", required)
    line.add("properties", properties)
    return line
  }
}

extension PayloadSchema.Field {
  /// The schema of a value. An optional value may also be null.
  fileprivate var jsonSchema: JSONLine {
    let (type, format): (String, String?) =
      switch kind {
      case .text, .url: ("string", nil)
      case .uuid: ("string", "uuid")
      case .date: ("string", "date-time")
      case .textList: ("array", nil)
      case .integer: ("integer", nil)
      case .number: ("number", nil)
      case .boolean: ("boolean", nil)
      }
    var line = JSONLine()
    if isRequired { line.add("type", type) } else { line.add("type", [type, "null"]) }
    if let format { line.add("format", format) }
    if kind == .textList { line.add("items", json: #"{"type":"string"}"#.utf8) }
    return line
  }
}
