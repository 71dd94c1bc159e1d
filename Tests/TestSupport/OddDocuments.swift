package import FeedStorage
import JSONStream

/// Feeds of documents with unusual keys, forms and sizes.
package enum OddDocuments {
  /// Keys that are hard to write into paths, queries and commands.
  package static let keys = [
    "a.b", "a/b", "/a", "with space", "#1", "é☃", "%2F", "a?b=c&d", "\"q\"", "[1]", "..", "x\ny",
    "<b>&amp;'", "", "\u{1F}", "-1", "plain",
  ]

  /// A record for each key, which is its `id`.
  package static let keyed: [String] = keys.map { key in
    #"{"id":\#(quoted(key)),"name":"n","size":1.50,"tags":["t","<i>"],"at":null}"#
  }

  /// Records whose ids are numbers in several notations, and booleans.
  package static let numbers = [
    #"{"id":42,"v":[0,{"deep":{"er":true}}]}"#, #"{"id":1.0}"#, #"{"id":12e1}"#,
    #"{"id":-0.50}"#, #"{"id":true}"#, #"{"id":12345678901234567890123}"#,
  ]
  /// The keys by which these are found.
  package static let numberKeys = ["42", "1", "120", "-0.5", "true", "12345678901234567890123"]

  /// Records of which some have no key.
  package static let keyless = [
    #"{"id":"a","n":0}"#, #"{"id":null,"n":1}"#, #"{"n":2}"#, #"{"id":[1],"n":3}"#,
    #"{"id":"a","n":4}"#,
  ]

  /// Members whose values are the records, and the keys by which these are found.
  package static let members = [#"{"v":1}"#, #"{"v":2}"#, #"{"v":3}"#, #"{"v":4}"#]
  package static let memberKeys = ["a/b", "c\"d", "A", "#0"]

  /// A record with a long text, in which the key is last, and one with many members.
  package static let large = [
    #"{"text":"\#(String(repeating: "long ", count: 20_000))","id":"last"}"#,
    "{" + (0..<300).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + #","id":"wide"}"#,
  ]

  /// A record with more members than a schema lists one by one.
  package static let map =
    "{" + (0..<700).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + #","id":"map"}"#

  /// The documents of each feed, by its name.
  package static let documents: [(name: String, text: String)] = [
    ("odd", array(keyed)), ("numbers", array(numbers)), ("keyless", array(keyless)),
    ("large", array(large)), ("map", array([map])),
    ("scalars", #"[1,"two",null,true,4.50,"<b>"]"#),
    ("arrays", #"[["a",1],["b",2,{"c":3}],[]]"#), ("empty", "[]"),
    ("members", ##"{"a/b":{"v": 1},"c\"d":{"v":2},"\u0041":{"v":3},"#0":{"v":4}}"##),
    ("single", #"{"only":[1,2,"a"]}"#), ("texts", "{\"id\":\n1}\n{\"id\":\n2}\n"),
    ("rows", #"[["id","name"],["a",1],["b",2],["c",3]]"#),
    ("lines", "{\"a\":1}\n{\"a\":{\"b\":[]}}\n{}\n"),
    ("composed", #"[{"k":"a/b","n":1,"x":10},{"k":"","n":2,"x":20},{"k":"a","n":2.0,"x":30}]"#),
  ]

  /// Stores all documents.
  package static func publish(in database: FeedDatabase) throws {
    for document in documents { try publish(document.text, as: document.name, in: database) }
  }

  @discardableResult
  package static func publish(
    _ text: String, as name: String, in database: FeedDatabase
  ) throws -> FeedDescription {
    var options = IngestOptions()
    options.feed = try FeedName(name)
    options.form = .document
    switch name {
    case "keyless", "numbers", "large", "map": options.key = ["id"]
    case "composed": options.key = ["k", "n"]
    default: break
    }
    let push = database.push(from: "\(name).json", options: options)
    try push.feed(text.utf8)
    return try push.finish().feed
  }

  private static func array(_ records: [String]) -> String {
    "[" + records.joined(separator: ",\n ") + "]"
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.appendString(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
