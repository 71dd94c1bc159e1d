import FeedSchema
import JSONStream
import TestSupport
import Testing

@Suite("Columns of queries")
struct QueryFieldsTests {
  private func object(_ fields: String, of record: String) throws -> String {
    var text: [UInt8] = []
    try QueryFields(fields).appendObject(of: Array(record.utf8).span.bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test("commas separate paths, except in quotes")
  func paths() throws {
    let fields = try QueryFields(#"a, "b,c".d,/e"#)
    #expect(fields.columns.map(\.name) == ["a", #""b,c".d"#, "/e"])
    let others = try QueryFields(#"a."b,\"c", /d"e, f"#)
    #expect(others.columns.map(\.name) == [#"a."b,\"c""#, #"/d"e"#, "f"])
  }

  @Test("a missing path and too many paths are refused", arguments: ["", "a,,b", "a,"])
  func faults(text: String) {
    #expect(throws: QueryError.self) { try QueryFields(text) }
    let many = Array(repeating: "a", count: 257).joined(separator: ",")
    #expect(throws: QueryError.self) { try QueryFields(many) }
  }

  @Test("values are in the order of the columns, not in that of the record")
  func order() throws {
    #expect(try object("b,a", of: #"{"a":1,"c":3,"b":[2]}"#) == #"{"b":[2],"a":1}"#)
    #expect(try object("a,b,a", of: #"{"b":2,"a":1}"#) == #"{"a":1,"b":2,"a":1}"#)
  }

  @Test("values that a record does not have are left out")
  func absence() throws {
    #expect(try object("x,a,y", of: #"{"a":null}"#) == #"{"a":null}"#)
    #expect(try object("x,a.b", of: #"{"a":[]}"#) == "{}")
    #expect(try object("a", of: "[1]") == "{}")
  }

  @Test("several columns may have values in one member")
  func nested() throws {
    let record = #"{"user":{"name":"x","tags":["p","q"]},"id":7}"#
    #expect(
      try object("id,user.name,user.tags[1],user.tags[]", of: record)
        == #"{"id":7,"user.name":"x","user.tags[1]":"q","user.tags[]":["p","q"]}"#)
    #expect(try object("/user/tags/0,id", of: record) == #"{"/user/tags/0":"p","id":7}"#)
    #expect(try object("[1],[0]", of: "[1,2]") == #"{"[1]":2,"[0]":1}"#)
  }

  @Test("the last value of a repeated key counts, and a key may have escapes")
  func repeatedKeys() throws {
    #expect(try object("a,b", of: #"{"a":1,"b":2,"a":3}"#) == #"{"a":3,"b":2}"#)
    #expect(try object("ab", of: #"{"a\u0062":1}"#) == #"{"ab":1}"#)
  }

  @Test("256 columns are found in a record with the keys in another order")
  func manyColumns() throws {
    let names = (0..<256).map { "k\($0)" }
    let members = names.reversed().map { #""\#($0)":"\#($0)""# } + [#""other":0"#]
    let expected = names.map { #""\#($0)":"\#($0)""# }.joined(separator: ",")
    #expect(
      try object(names.joined(separator: ","), of: "{\(members.joined(separator: ","))}")
        == "{\(expected)}")
  }

  @Test("columns find the same values as each path alone", arguments: 0..<200 as Range<UInt64>)
  func comparedWithPaths(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let record = Self.value(depth: 3, &random)
    let names = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      Self.path.randomElement(using: &random) ?? "a"
    }
    let fields = try QueryFields(names: names)
    let text = Array(record.utf8)
    var found: [Range<Int>?] = []
    fields.forEachValue(of: text.span.bytes) { index, value in
      #expect(index == found.count)
      if case .range(let range) = value { found.append(range) } else { found.append(nil) }
    }
    let expected = try names.map { try JSONPath($0).find(in: text.span.bytes) }
    #expect(found == expected, "\(names) of \(record)")
  }

  private static let path = [
    "a", "b", "c", "a.b", "a.b.c", "b[0]", "b[1].a", "/a/0", "[0]", "[1].a",
  ]

  /// A value of objects with few keys, which are often repeated, and of arrays.
  private static func value(depth: Int, _ random: inout SeededGenerator) -> String {
    switch depth == 0 ? 0 : Int.random(in: 0...5, using: &random) {
    case 0: return "\(Int.random(in: 0...99, using: &random))"
    case 1:
      let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        value(depth: depth - 1, &random)
      }
      return "[\(items.joined(separator: ", "))]"
    default:
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        let key = ["a", "b", "c", #"\u0061"#].randomElement(using: &random) ?? "a"
        return "\"\(key)\" : \(value(depth: depth - 1, &random))"
      }
      return "{\(members.joined(separator: ","))}"
    }
  }
}
