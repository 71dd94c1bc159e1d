/// A path from a record to one of its values, compiled once.
///
/// It is written as words, such as `user.name`, `tags[0]` or `"a.b".c`, or as a JSON Pointer
/// (RFC 6901) if it begins with a slash. The empty path is the record itself.
package struct JSONPath: Sendable, Hashable {
  /// One step from a value to a value in it.
  package enum Step: Sendable, Hashable {
    /// A member of an object, by the UTF-8 of its key.
    case member([UInt8])
    /// An element of an array.
    case element(Int)
    /// A token of a JSON Pointer: a member of an object, or an element of an array if the token is
    /// an index.
    case token([UInt8], index: Int?)
    /// Any element of an array, for conditions.
    case anyElement
  }

  /// Why a text is not a path, or why a path cannot be used.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let reason: String
    /// The path as it was written.
    package let text: String
    /// The byte of the text where the fault is.
    package let byteOffset: Int

    /// The number of the character at fault, from 1.
    package var character: Int {
      String(decoding: text.utf8.prefix(byteOffset), as: UTF8.self).count + 1
    }

    /// The path, the number of the character at fault, and the reason.
    package var description: String {
      "the path \(TerminalText.escaped(text)) at character \(character): \(reason)"
    }
  }

  /// The path as it was written.
  package let text: String
  package let steps: [Step]

  /// Compiles a path.
  package init(_ text: String) throws(Fault) {
    self.text = text
    steps = text.utf8.first == UInt8(ascii: "/") ? try Self.pointer(text) : try Self.words(text)
  }

  /// Compiles a JSON Pointer.
  package init(pointer text: String) throws(Fault) {
    self.text = text
    steps = try Self.pointer(text)
  }

  /// The path of object keys.
  package init(keys: [String]) {
    text = keys.map { "/" + $0.jsonPointerEscaped }.joined()
    steps = keys.map { .member(Array($0.utf8)) }
  }

  /// The object keys that the path is made of. A number in a JSON Pointer is a key too.
  ///
  /// - Throws: ``Fault`` for an element of an array.
  package func objectKeys() throws(Fault) -> [String] {
    var keys: [String] = []
    for step in steps {
      switch step {
      case .member(let key), .token(let key, _): keys.append(String(decoding: key, as: UTF8.self))
      case .element, .anyElement:
        throw Fault(
          reason: "elements of arrays cannot be looked up; name object keys, as in a.b", text: text,
          byteOffset: Array(text.utf8).firstIndex(of: 0x5B) ?? 0)
      }
    }
    return keys
  }

  /// Whether the path has `[]`, so that it may have several values in one record.
  package var hasAnyElement: Bool { steps.contains(.anyElement) }

  /// The bytes of the value in a JSON text; nil if there is none. Of a repeated key the last value
  /// counts, or the first with `takingFirst`.
  ///
  /// Allocates nothing, except for keys of the text that have escapes.
  ///
  /// - Throws: ``Fault`` for a path with `[]`.
  package func find(
    in bytes: RawSpan, takingFirst: Bool = false
  ) throws(Fault) -> Range<Int>? {
    guard let start = try start(in: bytes, takingFirst: takingFirst) else { return nil }
    var cursor = JSONCursor(bytes, at: start)
    return cursor.skipValue()
  }

  /// Where the value begins, even if the text ends inside it.
  func start(in bytes: RawSpan, takingFirst: Bool) throws(Fault) -> Int? {
    var cursor = JSONCursor(bytes)
    for step in steps {
      guard step != .anyElement else {
        throw Fault(
          reason: "[] is any element, and one value is expected here; name its index, as in [0]",
          text: text, byteOffset: Self.offsetOfAnyElement(text))
      }
      let start = Self.start(of: step, &cursor, takingFirst: takingFirst)
      guard let start else { return nil }
      cursor = JSONCursor(bytes, at: start)
    }
    return cursor.nextKind() == nil ? nil : cursor.position
  }

  /// Where the value of a step begins; nil if there is none, and for `[]`.
  package static func start(
    of step: Step, _ cursor: inout JSONCursor, takingFirst: Bool
  ) -> Int? {
    switch step {
    case .member(let key): return member(key, &cursor, takingFirst)
    case .element(let index): return element(index, &cursor)
    case .token(let key, let index):
      guard cursor.nextKind() == .array else { return member(key, &cursor, takingFirst) }
      return index.flatMap { element($0, &cursor) }
    case .anyElement: return nil
    }
  }

  /// Where the value of a member begins.
  private static func member(
    _ key: [UInt8], _ cursor: inout JSONCursor, _ takesFirst: Bool
  ) -> Int? {
    guard cursor.nextKind() == .object, cursor.enter() != nil else { return nil }
    var start: Int?
    while let found = cursor.nextKey() {
      if found.equals(key, in: cursor.bytes) {
        start = cursor.position
        if takesFirst { break }
      }
      guard cursor.skipValue() != nil else { break }
    }
    return start
  }

  /// Where an element begins.
  private static func element(_ index: Int, _ cursor: inout JSONCursor) -> Int? {
    guard cursor.nextKind() == .array, cursor.enter() != nil else { return nil }
    var number = 0
    while cursor.nextElement() != nil {
      if number == index { return cursor.position }
      number += 1
      guard cursor.skipValue() != nil else { break }
    }
    return nil
  }

  private static func offsetOfAnyElement(_ text: String) -> Int {
    let bytes = Array(text.utf8)
    return bytes.indices.dropLast().first { bytes[$0] == 0x5B && bytes[$0 + 1] == 0x5D } ?? 0
  }
}
