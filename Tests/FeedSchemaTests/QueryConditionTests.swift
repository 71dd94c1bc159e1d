import JSONStream
import Testing

@testable import FeedSchema

@Suite("Conditions of queries")
struct QueryConditionTests {
  private func matches(_ condition: String, _ record: String) throws -> Bool {
    try QueryCondition(condition).matches(Array(record.utf8).span.bytes)
  }

  @Test(
    "a number is equal in every notation, and to the string of its characters",
    arguments: ["1", "1.0", "1e0", "10e-1", #""1""#])
  func numbers(value: String) throws {
    #expect(try matches("n = 1", #"{"n":\#(value)}"#))
    #expect(try !matches("n != 1", #"{"n":\#(value)}"#))
    #expect(try matches(#"n = "1""#, #"{"n":\#(value)}"#) == (value == #""1""#))
  }

  @Test("the minus sign of an order may precede a key that begins with a combining mark")
  func order() throws {
    let order = try SortKey("-\u{301}a")
    #expect(try order.isDescending && order.path.objectKeys() == ["\u{301}a"])
  }

  @Test("numbers are compared without rounding")
  func exact() throws {
    let record = #"{"n":9007199254740993,"m":1e400,"z":-0}"#
    #expect(try !matches("n = 9007199254740992", record))
    #expect(try matches("n > 9007199254740992", record))
    #expect(try matches("m > 9e399", record))
    #expect(try matches("m = 10e399", record))
    #expect(try matches("z = 0", record))
  }

  @Test("numbers are compared with numbers and strings with strings")
  func types() throws {
    #expect(try !matches("n >= 1", #"{"n":"5"}"#))
    #expect(try !matches(#"n >= "1""#, #"{"n":5}"#))
    #expect(try matches(#"n >= "1""#, #"{"n":"5"}"#))
    #expect(try matches("n < b", #"{"n":"a\u0062"}"#))
  }

  @Test("dates with a time are compared as instants")
  func instants() throws {
    let record = #"{"at":"2024-01-01T01:00:00+01:00"}"#
    #expect(try matches("at = 2024-01-01T00:00:00Z", record))
    #expect(try matches("at < 2024-01-01T00:00:00.5Z", record))
    #expect(try !matches("at > 2024-01-01T00:30:00Z", record))
  }

  @Test(
    "true, false and null match these values and the strings of the same names",
    arguments: ["true", "false", "null"])
  func keywords(word: String) throws {
    #expect(try matches("a=\(word)", #"{"a":\#(word)}"#))
    #expect(try matches("a=\(word)", #"{"a":"\#(word)"}"#))
    #expect(try !matches(#"a="\#(word)""#, #"{"a":\#(word)}"#))
  }

  @Test("each element of an array is a value, but the elements of nested arrays are not")
  func arrays() throws {
    let record = #"{"tags":["x",2,["y"]],"list":[{"id":1},{"id":"z"}]}"#
    #expect(try matches("tags = x", record))
    #expect(try matches("tags >= 2", record))
    #expect(try !matches("tags = y", record))
    #expect(try matches("tags[] = y", record))
    #expect(try matches("tags[2][0] = y", record))
    #expect(try matches("list[].id = z", record))
    #expect(try !matches("list.id = z", record))
    #expect(try matches("list[].id != y", record))
    #expect(try !matches("list[].id != z", record))
  }

  @Test("a text is found regardless of case")
  func texts() throws {
    #expect(try matches("a ~ BRAZ", #"{"a":"in Brazil"}"#))
    #expect(try matches("a ~ É", #"{"a":"caf\u00e9"}"#))
    #expect(try !matches("a ~ 1", #"{"a":1}"#))
    #expect(try matches("a !~ 1", #"{"a":1}"#))
  }

  @Test("a value that exists may be null; one that is absent does not equal null")
  func existence() throws {
    #expect(try matches("a exists", #"{"a":null}"#))
    #expect(try !matches("b exists", #"{"a":null}"#))
    #expect(try !matches("b = null", #"{"a":null}"#))
    #expect(try matches("b != null", #"{"a":null}"#))
    #expect(try matches("b !exists", #"{"a":null}"#))
    #expect(try !matches("a!exists", #"{"a":null}"#))
    #expect(try matches("a !exists", "{}"))
  }

  @Test("the last value of a repeated key counts")
  func repeated() throws {
    #expect(try matches("a = 2", #"{"a":1,"a":2}"#))
    #expect(try !matches("a = 1", #"{"a":1,"a":2}"#))
  }

  @Test(
    "paths may have quotes, white space and indexes, or be JSON Pointers",
    arguments: [
      #""x.y" = 1"#, "odd key=1", "/odd key = 1", "/a~1b = 1", "/list/0 = 1", "list[0]=1",
      #""a = b" = 1"#, "list in 3, 1", #"odd key in "a,b",1"#,
    ])
  func paths(condition: String) throws {
    let record = #"{"x.y":1,"odd key":1,"a/b":1,"list":[1],"a = b":1}"#
    #expect(try matches(condition, record))
  }

  @Test("a value of a list may contain commas only if it begins with a quote")
  func lists() throws {
    let record = #"{"size":"5\" wide","b":"x,\"y"}"#
    #expect(try matches(#"size in 4" wide, 5" wide"#, record))
    #expect(try matches(#"b in 1, "x,\"y" ,2"#, record))
    #expect(try matches("c in 1,", #"{"c":""}"#))
  }

  @Test(
    "single quotes work as in SQL",
    arguments: [
      ("a = 'x'", "x"), ("a = 'it''s'", "it's"), ("a in 'b,c','x'", "b,c"), ("a = ''''", "'"),
      ("a in 2, 'b''c,d' ,'e'", "b'c,d"),
      ("a in x, ''','''", "','"),
      ("a = ''", ""), ("a ~ '\"'", "a\\\"b"), ("a = it's", "it's"), ("a = '1'", "1"),
    ])
  func singleQuotes(condition: String, value: String) throws {
    #expect(try matches(condition, "{\"a\":\"\(value)\"}"))
    #expect(try !matches(condition, #"{"a":1}"#))
  }

  @Test(
    "an invalid condition is refused with the reason",
    arguments: [
      ("name", "operator"), ("= 3", "path precedes"), ("a ? 3", "operator"),
      ("a exists 3", "no value"), ("a !exists 3", "!exists takes no value"),
      ("a = 'x", "single quotes"), ("a = 'x'y'", "single quotes"), ("a = '", "single quotes"),
      ("a in ", "value follows"), (#"a = "x"#, "string of JSON"), ("a[ = 1", "not closed"),
      ("a <> 1", "in quotes"), ("a => 1", "in quotes"), ("a >> 1", "in quotes"),
      ("", "path precedes"), (#"a in "x"y"#, "string of JSON"), ("a in 1,=2", "in quotes"),
      ("a[1234567890123456789] = 1", "whole number"),
    ])
  func faults(condition: String, reason: String) {
    let error = #expect(throws: QueryError.self) { try QueryCondition(condition) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }
}

@Suite("Records that match all conditions")
struct QueryMatcherTests {
  @Test("a value with escapes is found even after many records without escapes")
  func escapes() throws {
    var matcher = QueryMatcher([try QueryCondition("a = Brazil"), try QueryCondition("b = 1")])
    let other = Array(repeating: #"{"a":"Chile","b":1}"#, count: 1_000)
    let found = [#"{"a":"Br\u0061zil","b":1}"#, #"{"b":1,"a":"Brazil"}"#]
    let last = #"{"a":"Brazil","b":2}"#
    #expect(Self.matches(&matcher, other + found + [last]) == found)
  }

  @Test("a letter whose other case is beyond ASCII is found")
  func folding() throws {
    // The lowercase form of the Kelvin sign is k.
    var matcher = QueryMatcher([try QueryCondition("a ~ ok")])
    let record = "{\"a\":\"O\u{212A}\"}"
    #expect(Self.matches(&matcher, [record]) == [record])
  }

  private static func matches(_ matcher: inout QueryMatcher, _ records: [String]) -> [String] {
    records.filter { matcher.matches(Array($0.utf8).span.bytes) }
  }
}
