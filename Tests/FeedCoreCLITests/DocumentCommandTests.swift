import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Document feeds on the command line")
struct DocumentCommandTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try OddDocuments.publish(in: FeedDatabase.open(at: workspace.store))
  }

  @Test("get prints the text of a record by any key, with --json and without")
  func get() throws {
    for (key, text) in zip(OddDocuments.keys, OddDocuments.keyed) {
      #expect(try workspace.feedcore("get", "odd", "--", key).output == text + "\n", "\(key)")
    }
    for (key, text) in zip(OddDocuments.numberKeys, OddDocuments.numbers) {
      #expect(try workspace.feedcore("get", "numbers", "--json", "--", key).lines == [text])
    }
    let missing = try workspace.feedcore("get", "odd", "none")
    #expect(missing.status == 1)
    #expect(missing.errors == "none: no record of odd has this id\n")
  }

  @Test("get prints the value at a JSON Pointer, which follows a key or --at")
  func pointer() throws {
    let found = [
      (["odd", "plain", "/size"], "1.50"), (["odd", "/a", "/tags/1"], #""<i>""#),
      (["odd", "/a", "/at"], "null"), (["numbers", "42", "/v/1/deep"], #"{"er":true}"#),
      (["scalars", "--at", "1"], #""two""#), (["arrays", "--at", "1", "/2/c"], "3"),
      (["composed", "a/b", "1", "/x"], "10"),
    ]
    for (arguments, value) in found {
      #expect(try workspace.feedcore(["get"] + arguments).output == value + "\n", "\(arguments)")
    }
    let none = try workspace.feedcore("get", "odd", "plain", "/none")
    #expect(none.status == 1)
    #expect(none.errors == "/none: the record has no such value\n")
    for arguments in [
      ["odd", "plain", "/~2"], ["odd", "plain", "--at", "1"], ["odd", "--at=-1"], ["odd"],
      ["odd", "a", "b"],
    ] {
      #expect(try workspace.feedcore(["get"] + arguments).status == 64, "\(arguments)")
    }
  }

  @Test("get prints the first record of a key, and all with --all")
  func all() throws {
    let records = OddDocuments.keyless
    #expect(try workspace.feedcore("get", "keyless", "a").lines == [records[0]])
    let all = try workspace.feedcore("get", "keyless", "a", "--all")
    #expect(all.lines == [records[0], records[4]])
    #expect(try workspace.feedcore("get", "keyless", "a", "/n", "--all").lines == ["0", "4"])
  }

  @Test("keys that are not stored are named up to a number of bytes")
  func longDroppedKeys() throws {
    let record = #""name":"n","domains":[],"web_pages":[],"country":"c","alpha_two_code":"CC""#
    let records = (0..<8).map { "{\(record),\"\($0)\(String(repeating: "k", count: 60_000))\":1}" }
    let file = try workspace.file("long.json", "[" + records.joined(separator: ",") + "]")
    let outcome = try workspace.feedcore("ingest", file, "--kind", "universities", "--json")
    let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let dropped = try #require((report as? [String: Any])?["droppedKeys"] as? [Any])
    #expect(outcome.status == 0 && dropped.count == 4)
  }

  @Test("paths and keys may begin with a combining mark")
  func combiningMarks() throws {
    let (list, name) = ("\u{301}list", "\u{485}name")
    let text =
      "{\"n\":1,\"\(list)\":[{\"a\":1,\"\(name)\":{\"\(list)\":\"x\"}},{\"a\":1,\"\(name)\":2}]}"
    let file = try workspace.file("marks.json", text)
    let ingest = ["ingest", file, "--feed", "marks", "--key", "a,\(name).\(list)"]
    for records in [[], ["--records", "/\(list)"]] {
      #expect(try workspace.feedcore(ingest + records).status == 0)
      #expect(try workspace.feedcore("export", "marks").output.contains("\"\(list)\":["))
      let value = try workspace.feedcore("get", "marks", "1", "x", "/\(name)/\(list)")
      #expect(value.output == "\"x\"\n")
    }
    let shown = try workspace.feedcore("schema", "show", "marks")
    #expect(shown.output.contains("\"records\":\"/\(list)\""))
  }

  @Test("a key of a record may have a comma in quotes")
  func commaInKey() throws {
    let file = try workspace.file(
      "comma.json", #"[{"x,y":1,"a":{"b,c":"p"}},{"x,y":2,"a":{"b,c":"p"}}]"#)
    let ingest = ["ingest", file, "--feed", "comma"]
    let key = #""a"."b,c","x,y""#
    #expect(try workspace.feedcore(ingest + ["--key", key]).output.contains("; key: \(key)\n"))
    let record = try workspace.feedcore("get", "comma", "p", "2", "--json")
    #expect(record.output == #"{"x,y":2,"a":{"b,c":"p"}}"# + "\n")
    // The proposal has the same key.
    #expect(try workspace.feedcore(ingest).errors.contains("again with --key '\(key)'"))
  }

  @Test("an ingest that chooses another key than before says how to have the old one")
  func changedKey() throws {
    let file = try workspace.file("shop.json", #"[{"id":1,"sku":"a"},{"id":2,"sku":"b"}]"#)
    let ingest = ["ingest", file, "--feed", "shop"]
    let warning =
      "the key of shop was sku and is now id; to have the old one, ingest again with --key sku"
    #expect(try !workspace.feedcore(ingest + ["--key", "sku"]).errors.contains("the key of"))
    #expect(try workspace.feedcore(ingest).errors.contains(warning))
    #expect(try !workspace.feedcore(ingest).errors.contains("the key of"))
    #expect(try !workspace.feedcore(ingest + ["--key", "sku"]).errors.contains("the key of"))
    let report = try workspace.feedcore(ingest + ["--json"])
    #expect(report.output.contains(#""key":"id","replacedKey":"sku""#))
    let quoted = try workspace.file("quoted.json", #"[{"id":1,"it's":"a"},{"id":2,"it's":"b"}]"#)
    #expect(
      try workspace.feedcore("ingest", quoted, "--feed", "quoted", "--key", "it's").status == 0)
    let proposal = try workspace.feedcore("ingest", quoted, "--feed", "quoted").errors
    #expect(proposal.contains(#"ingest again with --key 'it'\''s'"#))
  }

  @Test(
    "records are added to a feed without records, in any form",
    arguments: ["[]", #"{"items":[],"page":1}"#])
  func addedToNothing(empty: String) throws {
    let file = try workspace.file("empty.json", empty)
    let records = try workspace.file("records.json", #"[{"id":1,"text":"a"},{"id":2,"text":"b"}]"#)
    let words = ["--feed", "grown", "--kind", "json"]
    for _ in 1...2 {
      #expect(try workspace.feedcore(["ingest", file] + words + ["--append"]).status == 0)
    }
    let added = try workspace.feedcore(["ingest", records] + words + ["--append"])
    #expect(added.status == 0, "\(added.errors)")
    #expect(try workspace.records(of: "grown") == 2)
    #expect(try workspace.feedcore("get", "grown", "2").status == 0)
    #expect(try workspace.feedcore(["ingest", records] + words + ["--append"]).status == 0)
    #expect(try workspace.records(of: "grown") == 2)
  }

  @Test("get finds a record by its position in every feed")
  func position() throws {
    try workspace.publishUniversities()
    #expect(try workspace.feedcore("get", "scalars", "#4").lines == ["4.50"])
    let keyless = try workspace.feedcore("get", "keyless", "--at", "2")
    #expect(keyless.lines == [OddDocuments.keyless[2]])
    let name = try workspace.feedcore("get", "universities", "--at", "1", "/name")
    #expect(name.lines == [#""Beta""#])
    let beyond = try workspace.feedcore("get", "scalars", "--at", "6")
    #expect(beyond.status == 1)
    #expect(beyond.errors == "6: scalars has 6 records, counted from 0\n")
  }

  @Test("get takes the parts of a composed key, or a JSON array of them")
  func composed() throws {
    let text = #"{"k":"a","n":2.0,"x":30}"#
    #expect(try workspace.feedcore("get", "composed", "a", "2").lines == [text])
    #expect(try workspace.feedcore("get", "composed", #"["a",2]"#).lines == [text])
    #expect(try workspace.feedcore("get", "composed", "", "2", "/x").lines == ["20"])
    #expect(try workspace.feedcore("get", "composed", "a", "2", "3").status == 64)
    #expect(try workspace.feedcore("get", "composed", "a").status == 1)
  }

  @Test("show prints a table of the scalars that most records have, the key first")
  func table() throws {
    let odd = try workspace.feedcore("show", "odd", "--limit", "1").lines
    #expect(odd == ["id   name  size", "a.b  n     1.50"])
    let large = try workspace.feedcore("show", "large", "--offset", "1").lines
    #expect(large.first?.split(separator: " ").count == 6)
    #expect(
      try workspace.feedcore("show", "scalars", "--limit", "2").lines
        == ["position  record", "#0        1", "#1        two"])
    #expect(
      try workspace.feedcore("show", "composed", "--limit", "1").lines
        == ["k,n          k    n   x", #"["a/b","1"]  a/b  1  10"#])
    #expect(try workspace.feedcore("show", "empty").status == 0)
  }

  @Test("show prints the texts as lines and as an array")
  func formats() throws {
    #expect(
      try workspace.feedcore("show", "numbers", "--format", "ndjson").lines == OddDocuments.numbers)
    let array = try workspace.feedcore("show", "arrays", "--format", "json").json() as? [Any]
    #expect(array?.count == 3)
    #expect(
      try workspace.feedcore("show", "numbers", "--where", "id=42", "--format", "ndjson").lines
        == [OddDocuments.numbers[0]])
  }

  @Test("detail prints each value of a document with its path")
  func detail() throws {
    #expect(
      try workspace.feedcore("detail", "numbers", "42").lines
        == ["id            42", "v[0]          0", "v[1].deep.er  true"])
    #expect(
      try workspace.feedcore("detail", "odd", "plain").lines.suffix(3)
        == ["tags[0]  t", "tags[1]  <i>", "at       null"])
    #expect(try workspace.feedcore("detail", "scalars", "#1").output == "two\n")
    #expect(try workspace.feedcore("detail", "arrays", "#2").output == "[]\n")
    #expect(try workspace.feedcore("detail", "odd", "none").status == 1)
  }

  @Test("schema show prints the statistics of each path, as JSON Schema or as a table")
  func schema() throws {
    let json = try workspace.feedcore("schema", "show", "keyless").object()
    #expect((json["x-feedcore"] as? [String: Any])?["kind"] as? String == "json")
    let table = try workspace.feedcore("schema", "show", "keyless", "--table").lines
    #expect(
      table == [
        "path  types                                       present  values",
        "id    string 50.0 % | null 25.0 % | array 25.0 %   80.0 %  at most 1 byte",
        "id[]  integer                                      20.0 %  1 … 1",
        "n     integer                                       100 %  0 … 4",
      ])
  }

  @Test("feeds lists document feeds, and no command on one fails")
  func everything() throws {
    let feeds = try workspace.feeds()
    let names = Set(feeds.compactMap { $0["name"] as? String })
    #expect(names == Set(OddDocuments.documents.map(\.name)))
    #expect(feeds.allSatisfy { $0["kind"] as? String == "json" })
    for (name, _) in OddDocuments.documents {
      for arguments in [
        ["show", name], ["show", name, "--format", "json"], ["schema", "show", name, "--table"],
        ["schema", "show", name], ["export", name],
      ] {
        let outcome = try workspace.feedcore(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
      }
      for arguments in [
        ["get", name, "x"], ["detail", name, ""], ["get", name, "--at", "0", "/x"],
      ] {
        #expect([0, 1].contains(try workspace.feedcore(arguments).status), "\(arguments)")
      }
    }
    #expect(try workspace.feedcore("store", "check").status == 0)
  }
}
