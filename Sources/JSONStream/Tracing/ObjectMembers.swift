/// The outer members of a small JSON object, by their keys: what a service reports in an answer
/// that holds no records.
package struct ObjectMembers: Sendable {
  /// The value of a member.
  package enum Value: Sendable, Hashable {
    case string(String)
    /// A number, as its text.
    case number(String)
    case null, `true`, `false`
    case container(isEmpty: Bool)
  }

  /// More levels and members than any report of a failure has.
  static let maximumDepth = 4
  private static let maximumCount = 256
  /// Longer values are cut.
  private static let maximumBytes = 4096

  private var values: [[String]: Value] = [:]

  init() {}

  /// Parses an object; nil if the text is not one. Costs one traced parse.
  package init?(_ text: borrowing RawSpan) {
    let parser = TracingParser(limits: JSONLimits())
    parser.trace.members = ObjectMembers()
    let isObject = text.withUnsafeBytes { bytes in
      do throws(TracingParser.Fault) {
        try parser.feed(bytes.assumingMemoryBound(to: UInt8.self), at: 0)
        try parser.finish(at: bytes.count)
        return parser.trace.members?.isOfObject ?? false
      } catch {
        return false
      }
    }
    guard isObject, let members = parser.trace.members else { return nil }
    self = members
  }

  /// The value at a path of keys. `"0"` stands for the first element of an array; further elements
  /// are not kept. Of a repeated key the last value counts.
  package subscript(path: [String]) -> Value? { values[path] }

  /// Whether the text is an object and not an array.
  private(set) var isOfObject = false

  mutating func add(_ value: Value, at path: [String]) {
    guard values.count < Self.maximumCount || values[path] != nil else { return }
    values[path] = value
  }

  mutating func open(isArray: Bool, at path: [String]) {
    if path.isEmpty { isOfObject = !isArray }
    add(.container(isEmpty: true), at: path)
  }

  mutating func close(isEmpty: Bool, at path: [String]) {
    add(.container(isEmpty: isEmpty), at: path)
  }

  mutating func add(_ event: Trace.Event, at path: [String]) {
    switch event {
    case .string(let bytes): add(.string(Self.text(bytes)), at: path)
    case .number(let bytes): add(.number(Self.text(bytes)), at: path)
    case .literal(let word):
      switch word.description {
      case "null": add(.null, at: path)
      case "true": add(.true, at: path)
      default: add(.false, at: path)
      }
    case .key, .startObject, .startArray, .end: break
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(maximumBytes), as: UTF8.self)
  }
}
