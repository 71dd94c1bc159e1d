import CYajl

/// A JSON value in memory, with the members of its objects in the order of the text.
///
/// It is for small texts that a program reads as a whole, such as schemas. Memory is several times
/// the text.
package indirect enum JSONTree: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// The digits as written in the text.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Member])

  /// A member of an object. A key may occur more than once.
  package struct Member: Sendable, Hashable {
    package var key: String
    package var value: JSONTree

    package init(key: String, value: JSONTree) {
      self.key = key
      self.value = value
    }
  }

  /// Why a text is not a JSON value.
  package struct Fault: Error {
    package var reason: String
    package var byteOffset: Int
    package var pointer: String
  }

  /// Reads a text.
  ///
  /// - Throws: the first fault; nesting deeper than 128 levels is one.
  package init(parsing text: RawSpan) throws(Fault) {
    let bytes = text.withUnsafeBytes { Array($0) }
    do throws(TracingParser.Fault) {
      let parser = TracingParser(limits: JSONLimits())
      try bytes.withUnsafeBufferPointer { (bytes) throws(TracingParser.Fault) in
        try parser.feed(bytes, at: 0)
      }
      try parser.finish(at: bytes.count)
    } catch {
      throw Fault(reason: error.reason, byteOffset: error.byteOffset, pointer: error.pointer)
    }
    // YAJL accepts a vertical tab and a form feed as white space; JSON does not (RFC 8259,
    // section 2).
    if let offset = bytes.firstIndex(where: { $0 == 0x0B || $0 == 0x0C }) {
      let name = bytes[offset] == 0x0C ? "a form feed" : "a vertical tab"
      throw Fault(reason: "\(name) is not allowed in JSON", byteOffset: offset, pointer: "")
    }
    guard let tree = TreeBuilder.build(bytes) else {
      throw Fault(reason: "the text is not valid UTF-8", byteOffset: 0, pointer: "")
    }
    self = tree
  }

  /// The value at a path of keys and indexes, which are decimal; nil if there is none. Of a repeated
  /// key the last value counts.
  package func value(at path: [String]) -> JSONTree? {
    var value = self
    for key in path {
      let next: JSONTree? =
        switch value {
        case .object(let members): members.last { $0.key == key }?.value
        case .array(let elements):
          Int(key).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        default: nil
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// The members of an object; nil for another value.
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The elements of an array; nil for another value.
  package var elements: [JSONTree]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The text of a string; nil for another value.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// A whole number; nil for another value.
  package var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }

  /// The nearest finite `Double` of a number; nil for another value.
  package var double: Double? {
    guard case .number(let digits) = self, let number = Double(digits), number.isFinite else {
      return nil
    }
    return number
  }

  /// True or false; nil for another value.
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
}

/// Builds a value from YAJL's events. The text has passed the tracing parser, so invalid UTF-8 is
/// the only fault left.
private final class TreeBuilder {
  /// An open array or object.
  private struct Level {
    /// The index in `values` of its first element or member.
    let start: Int
    let isObject: Bool
    /// The key of the array or object itself.
    let key: String
  }

  private var levels: [Level] = []
  /// The complete values of all open levels.
  private var values: [JSONTree.Member] = []
  private var key = ""

  static func build(_ bytes: [UInt8]) -> JSONTree? {
    let builder = TreeBuilder()
    let context = Unmanaged.passUnretained(builder).toOpaque()
    guard let handle = table.makeHandle(context: context) else { return nil }
    defer { yajl_free(handle) }
    let isAccepted = withExtendedLifetime(builder) {
      yajl_parse(handle, bytes, bytes.count) == yajl_status_ok
        && yajl_complete_parse(handle) == yajl_status_ok
    }
    return isAccepted ? builder.values.last?.value : nil
  }

  private func add(_ value: JSONTree) {
    values.append(JSONTree.Member(key: key, value: value))
    key = ""
  }

  private func begin(isObject: Bool) {
    levels.append(Level(start: values.count, isObject: isObject, key: key))
    key = ""
  }

  private func end() {
    guard let level = levels.popLast() else { return }
    let members = Array(values[level.start...])
    values.removeSubrange(level.start...)
    key = level.key
    add(level.isObject ? .object(members) : .array(members.map(\.value)))
  }

  // MARK: Callbacks

  private static func run(
    _ context: UnsafeMutableRawPointer?, _ body: (TreeBuilder) -> Void
  ) -> CInt {
    guard let context else { return 0 }
    // `build` retains the builder until YAJL has returned.
    body(Unmanaged<TreeBuilder>.fromOpaque(context).takeUnretainedValue())
    return 1
  }

  private static func text(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> String {
    String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static let table = CallbackTable(
    yajl_callbacks(
      yajl_null: { TreeBuilder.run($0) { $0.add(.null) } },
      yajl_boolean: { context, value in
        TreeBuilder.run(context) { $0.add(.boolean(value != 0)) }
      },
      yajl_integer: nil,
      yajl_double: nil,
      yajl_number: { context, bytes, count in
        guard let bytes else { return 0 }
        let digits = UnsafeRawBufferPointer(start: bytes, count: count)
        return TreeBuilder.run(context) {
          $0.add(.number(String(decoding: digits, as: UTF8.self)))
        }
      },
      yajl_string: { context, bytes, count in
        TreeBuilder.run(context) { $0.add(.string(TreeBuilder.text(bytes, count))) }
      },
      yajl_start_map: { TreeBuilder.run($0) { $0.begin(isObject: true) } },
      yajl_map_key: { context, bytes, count in
        TreeBuilder.run(context) { $0.key = TreeBuilder.text(bytes, count) }
      },
      yajl_end_map: { TreeBuilder.run($0) { $0.end() } },
      yajl_start_array: { TreeBuilder.run($0) { $0.begin(isObject: false) } },
      yajl_end_array: { TreeBuilder.run($0) { $0.end() } }))
}
