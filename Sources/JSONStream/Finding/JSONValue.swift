/// A JSON value as its text, such as a record or a part of one.
///
/// It owns a copy of the text. Values in it are found by a walk over the text, so each access costs
/// time proportional to the text before the value.
///
/// ```swift
/// let name = record["user.name"]?.string
/// let first = record["/tags/0"]?.string
/// ```
public struct JSONValue: Sendable, Hashable, CustomStringConvertible {
  /// The UTF-8 of the text.
  public let bytes: [UInt8]

  /// - Parameter bytes: valid JSON, one value.
  package init(validated bytes: [UInt8]) { self.bytes = bytes }

  /// The text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public var description: String { text }

  /// The value at a path: object keys and indexes, as in `user.tags[0]`, or a JSON Pointer (RFC
  /// 6901) if it begins with a slash. Nil if there is no such value, or if the text is not a path.
  /// Of a repeated key the last value counts.
  public subscript(path: String) -> JSONValue? {
    guard let path = try? JSONPath(path), let range = try? path.find(in: bytes.span.bytes) else {
      return nil
    }
    return JSONValue(validated: Array(bytes[range]))
  }

  private var kind: JSONCursor.Kind? {
    var cursor = JSONCursor(bytes.span.bytes)
    return cursor.nextKind()
  }

  /// Whether it is `null`.
  public var isNull: Bool { kind == .null }

  /// The string; nil for another value.
  public var string: String? {
    var cursor = JSONCursor(bytes.span.bytes)
    return cursor.nextString()?.string(in: bytes.span.bytes)
  }

  /// The number if it is whole and fits in 64 bits; nil for another value.
  public var integer: Int64? { kind == .number ? Int64(text) : nil }

  /// The number, rounded to the nearest `Double`; nil for another value.
  public var number: Double? { kind == .number ? Double(text) : nil }

  /// True or false; nil for another value.
  public var boolean: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The elements of an array; nil for another value.
  public var elements: [JSONValue]? {
    var cursor = JSONCursor(bytes.span.bytes)
    guard cursor.nextKind() == .array, cursor.enter() != nil else { return nil }
    var elements: [JSONValue] = []
    while cursor.nextElement() != nil, let range = cursor.skipValue() {
      elements.append(JSONValue(validated: Array(bytes[range])))
    }
    return elements
  }

  /// The members of an object in their order; nil for another value.
  public var members: [(key: String, value: JSONValue)]? {
    var cursor = JSONCursor(bytes.span.bytes)
    guard cursor.nextKind() == .object, cursor.enter() != nil else { return nil }
    var members: [(key: String, value: JSONValue)] = []
    while let key = cursor.nextKey(), let range = cursor.skipValue() {
      members.append(
        (key.string(in: bytes.span.bytes), JSONValue(validated: Array(bytes[range]))))
    }
    return members
  }
}
