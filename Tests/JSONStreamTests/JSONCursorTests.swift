import JSONStream
import TestSupport
import Testing

@Suite("A cursor over JSON text")
struct JSONCursorTests {
  /// The tree that a walk sees; nil if it stops.
  private static func tree(_ cursor: inout JSONCursor) -> JSONTree? {
    switch cursor.nextKind() {
    case .object:
      _ = cursor.enter()
      var members: [JSONTree.Member] = []
      while let key = cursor.nextKey() {
        guard let value = tree(&cursor) else { return nil }
        members.append(.init(key: key.string(in: cursor.bytes), value: value))
      }
      return cursor.isStopped ? nil : .object(members)
    case .array:
      _ = cursor.enter()
      var elements: [JSONTree] = []
      while cursor.nextElement() != nil {
        guard let value = tree(&cursor) else { return nil }
        elements.append(value)
      }
      return cursor.isStopped ? nil : .array(elements)
    case .string: return cursor.nextString().map { .string($0.string(in: cursor.bytes)) }
    case .number:
      return cursor.skipValue().map { range in
        let digits = cursor.bytes.extracting(range).withUnsafeBytes { Array($0) }
        return .number(String(decoding: digits, as: UTF8.self))
      }
    case .true, .false:
      let value = cursor.nextKind() == .true
      return cursor.skipValue().map { _ in .boolean(value) }
    case .null: return cursor.skipValue().map { _ in .null }
    case nil: return nil
    }
  }

  @Test("sees the values of a document as YAJL does", arguments: 0..<4)
  func values(part: UInt64) throws {
    var documents = RandomDocument(seed: part)
    for _ in 0..<500 {
      let text = Array(documents.next().utf8)
      let expected = try JSONTree(parsing: text.span.bytes)
      var cursor = JSONCursor(text.span.bytes)
      let tree = Self.tree(&cursor)
      try #require(tree == expected)
      var whole = JSONCursor(text.span.bytes)
      let range = whole.skipValue()
      try #require(range == 0..<text.count)
    }
  }

  @Test("stops in a document that is cut anywhere", arguments: 0..<4)
  func cut(part: UInt64) throws {
    var documents = RandomDocument(seed: 100 + part)
    for _ in 0..<100 {
      let text = Array(documents.next().utf8)
      guard let first = text.first, [0x7B, 0x5B, 0x22].contains(first) else { continue }
      for end in 0..<text.count {
        let head = text.span.bytes.extracting(0..<end)
        var cursor = JSONCursor(head)
        let tree = Self.tree(&cursor)
        try #require(tree == nil)
        var whole = JSONCursor(head)
        let (range, isStopped) = (whole.skipValue(), whole.isStopped)
        try #require(range == nil && isStopped)
      }
    }
  }

  @Test("ends in damaged documents", arguments: 0..<4)
  func damaged(part: UInt64) {
    var documents = RandomDocument(seed: 200 + part)
    var random = SeededGenerator(seed: part)
    var stopped = 0
    for _ in 0..<2_000 {
      let text = Mutation.mutated(Array(documents.next().utf8), using: &random)
      var cursor = JSONCursor(text.span.bytes)
      while Self.tree(&cursor) != nil, !cursor.isStopped {}
      if cursor.isStopped { stopped += 1 }
      let position = cursor.position
      #expect(position <= text.count)
    }
    #expect(stopped > 100)
  }

  @Test("skips nesting of any depth without recursion")
  func deep() {
    let depth = 1_000_000
    let text = [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
    var cursor = JSONCursor(text.span.bytes)
    let range = cursor.skipValue()
    #expect(range == 0..<text.count)
    var open = JSONCursor(text.span.bytes.extracting(0..<depth))
    let openRange = open.skipValue()
    #expect(openRange == nil)
  }

  @Test(
    "decodes escapes, and half of a surrogate pair as U+FFFD",
    arguments: [
      (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
      (#""\ud83d\ude00!""#, "😀!"), (#""\ud83dx""#, "\u{FFFD}x"),
      (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\u12""#, "u12"), (#""😀""#, "😀"),
    ])
  func strings(text: String, value: String) throws {
    let bytes = Array(text.utf8)
    var cursor = JSONCursor(bytes.span.bytes)
    let next = cursor.nextString()
    let string = try #require(next)
    let (found, isEqual) = (
      string.string(in: bytes.span.bytes), string.equals(Array(value.utf8), in: bytes.span.bytes)
    )
    #expect(found == value)
    #expect(isEqual)
    #expect(string.isEscaped == text.contains("\\"))
  }

  @Test("finds the end of a string wherever the quote and an escape are")
  func stringEnds() throws {
    for length in 0..<40 {
      for escape in 0..<max(length, 1) {
        var content = [UInt8](repeating: 0x61, count: length)
        if escape + 1 < length {
          content.replaceSubrange(escape...escape + 1, with: [0x5C, 0x22])
        }
        let text = [0x22] + content + [0x22, 0x2C, 0x22]
        var cursor = JSONCursor(text.span.bytes)
        let range = cursor.skipValue()
        try #require(range == 0..<length + 2)
      }
    }
  }
}
