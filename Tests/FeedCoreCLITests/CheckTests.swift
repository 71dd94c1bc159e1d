import Foundation
import TestSupport
import Testing

@Suite("Check")
struct CheckTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("reports the kind of a valid file, and stores nothing")
  func valid() throws {
    let file = try workspace.sample("news", 1_200)
    let outcome = try workspace.feedcore("check", file)
    #expect(outcome.status == 0)
    #expect(outcome.output == "\(file): valid, news, 1,200 records\n")
    #expect(!FileManager.default.fileExists(atPath: workspace.store))
  }

  @Test("continues after a bad file, and ends with the worst status")
  func goesOn() throws {
    let good = try workspace.file("good.json", Payload.universities(["Alpha"]))
    let bad = try workspace.file("bad.json", "[1,]")
    let missing = workspace.path + "/none.json"
    let outcome = try workspace.feedcore("check", missing, bad, good)
    #expect(outcome.status == 65)
    #expect(outcome.output == "\(good): valid, universities, 1 record\n")
    #expect(outcome.errorLines.count == 2)
    #expect(try workspace.feedcore("check", good, missing).status == 66)
  }

  @Test(
    "refuses options for records with --kind json",
    arguments: [
      ["--lanes", "2"], ["--dates", "strict"], ["--duplicate-keys", "error"],
      ["--max-record-bytes", "16777216"], ["--max-sibling-bytes", "1"],
      ["--max-list-elements", "1"],
    ])
  func optionsOfRecords(_ option: [String]) throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore(["check", file, "--kind", "json"] + option)
    #expect(outcome.status == 64)
    #expect(
      outcome.errorLines.first
        == "Error: \(option[0]) applies to records; remove it, or --kind json")
    #expect(try workspace.feedcore(["check", file] + option).status != 64)
  }

  @Test(
    "applies all other options with --kind json",
    arguments: [
      ["--max-depth", "1"], ["--max-string-bytes", "3"], ["--max-key-bytes", "3"],
      ["--max-number-bytes", "1"],
    ])
  func optionsOfText(_ option: [String]) throws {
    let file = try workspace.file("text.json", #"[{"key":"a","long":12},"text"]"#)
    #expect(try workspace.feedcore("check", file, "--kind", "json").status == 0)
    #expect(try workspace.feedcore(["check", file, "--kind", "json"] + option).status == 65)
  }

  @Test("reports the number and the kind of the records before an error")
  func counts() throws {
    let record = Payload.university("Alpha", country: "Peru")
    let bad = try workspace.file("bad.json", "[\(record),\n\(record),\n{]")
    let outcome = try workspace.feedcore("check", bad, "--kind", "universities", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    #expect(object?["records"] as? Int == 2)
    #expect(object?["kind"] as? String == "universities")
    #expect((object?["error"] as? [String: Any])?["record"] as? Int == 3)
  }

  @Test("prints one object a line for each file as JSON")
  func json() throws {
    let good = try workspace.file("good.json", Payload.universities(["Alpha"]))
    let bad = try workspace.file("bad.json", "[\n{\"name\":NaN}\n]")
    let missing = workspace.path + "/none.json"
    let outcome = try workspace.feedcore("check", good, bad, missing, "--json")
    #expect(outcome.status == 65)
    let objects = try outcome.lines.map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    try #require(objects.count == 3)
    #expect(Set(objects[0].keys) == ["file", "valid", "kind", "records", "oddURLs"])
    #expect(objects[0]["valid"] as? Bool == true)
    #expect(objects[0]["kind"] as? String == "universities")
    #expect(objects[0]["records"] as? Int == 1)
    #expect(objects.map { $0["file"] as? String } == [good, bad, missing])
    #expect(objects[1]["valid"] as? Bool == false)
    let error = try #require(objects[1]["error"] as? [String: Any])
    #expect(
      Set(error.keys) == [
        "kind", "byteOffset", "line", "column", "record", "pointer", "reason", "characterColumn",
        "excerpt", "caret",
      ])
    #expect(error["kind"] as? String == "syntax")
    #expect(error["byteOffset"] as? Int == 10)
    #expect(error["line"] as? Int == 2)
    #expect(error["column"] as? Int == 9)
    #expect(error["record"] as? Int == 1)
    #expect(error["pointer"] as? String == "/0/name")
    #expect((objects[2]["error"] as? [String: Any])?["kind"] as? String == "noInput")
  }

  @Test("names no line for compressed bytes and for a missing file")
  func noLine() throws {
    let packed = try Packed.gzip(Array(Payload.universities(["Alpha"]).utf8))
    let cut = try workspace.file("cut.json.gz", bytes: packed.dropLast(9))
    let outcome = try workspace.feedcore("check", cut, workspace.path + "/none.json", "--json")
    let errors = try outcome.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["error"] as? [String: Any])
    }
    try #require(errors.count == 2)
    for error in errors {
      for key in ["line", "column", "characterColumn"] { #expect(error[key] is NSNull) }
    }
    #expect(errors[0]["byteOffset"] as? Int == packed.count - 9)
    #expect(errors[0]["compressed"] as? Bool == true)
    #expect(errors[1]["byteOffset"] is NSNull)
    #expect(errors[1]["compressed"] == nil)
  }

  @Test("puts the caret under the fault even after double-width characters")
  func caret() throws {
    let file = try workspace.file("wide.json", #"[{"name":"大学","country":7}]"#)
    let terminal = try PseudoTerminal(columns: 80)
    let command = try workspace.start(
      ["check", file, "--kind", "universities"], errors: .descriptor(terminal.terminal))
    #expect(command.wait() == 65)
    let lines = terminal.output().components(separatedBy: "\r\n")
    try #require(lines.count > 2)
    let before = try #require(lines[1].range(of: "7}")).lowerBound
    #expect(lines[1][..<before].hasSuffix(#"大学","country":"#))
    #expect(lines[2] == String(repeating: " ", count: lines[1][..<before].count + 2) + "^")
  }

  @Test("reports the field, the expected type and the value of a broken contract")
  func mismatch() throws {
    let file = try workspace.file("bad.json", #"[{"name":"Zürich","country":7}]"#)
    let outcome = try workspace.feedcore("check", file, "--kind", "universities", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let error = try #require((object as? [String: Any])?["error"] as? [String: Any])
    #expect(error["field"] as? String == "country")
    #expect(error["expected"] as? String == "a string")
    #expect(error["found"] as? String == "a number")
    // The name has one byte more than it has characters.
    #expect(error["column"] as? Int == 30)
    #expect(error["characterColumn"] as? Int == 29)
    let excerpt = try #require(error["excerpt"] as? String)
    let caret = try #require(error["caret"] as? Int)
    #expect(excerpt.dropFirst(caret).first == "7")
  }

  @Test("replaces half of a surrogate pair by U+FFFD on request")
  func surrogates() throws {
    let file = try workspace.file("half.json", Payload.universities([#"a\ud800b"#]))
    #expect(try workspace.feedcore("check", file).status == 65)
    let ingest = try workspace.feedcore("ingest", file, "--surrogates", "replace")
    #expect(ingest.status == 0)
    #expect(try workspace.names(of: "universities") == ["a\u{FFFD}b"])
  }

  @Test(
    "takes the last or the first of repeated keys, or refuses them, as requested",
    arguments: [("last", "b"), ("first", "a"), ("error", nil)] as [(String, String?)])
  func duplicateKeys(_ policy: String, _ name: String?) throws {
    let record = Payload.university("a").dropLast() + #","name":"b"}"#
    let file = try workspace.file("twice.json", "[\(record)]")
    let outcome = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--duplicate-keys", policy)
    guard let name else {
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("/0/name"))
      return
    }
    #expect(outcome.status == 0)
    #expect(try workspace.names(of: "universities") == [name])
  }

  @Test("names the option that raises a limit")
  func limits() throws {
    let file = try workspace.file("deep.json", "[" + String(repeating: "[", count: 200))
    #expect(try workspace.feedcore("check", file).errors.contains("--max-depth"))
    let text = try workspace.file("long.json", Payload.universities(["abcdef"]))
    let outcome = try workspace.feedcore("check", text, "--max-string-bytes", "4")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("--max-string-bytes"))
  }

  @Test(
    "verifies that a file is exactly one JSON text",
    arguments: [
      ("42", 0), (" \"a\" ", 0), ("null\n", 0), ("{\"a\":[]}", 0), ("[1,2]", 0),
      ("42 43", 65), ("{}\n{}", 65), ("", 65), ("[1,]", 65), ("nul", 65), ("\"a", 65), ("-", 65),
      ("01", 65),
    ] as [(String, Int32)])
  func jsonText(_ text: String, _ status: Int32) throws {
    let file = try workspace.file("text.json", text)
    let outcome = try workspace.feedcore("check", file, "--kind", "json")
    #expect(outcome.status == status)
    #expect(outcome.output == (status == 0 ? "\(file): valid, json\n" : ""))
  }

  @Test("refuses records that are not of the named kind")
  func namedKind() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    #expect(try workspace.feedcore("check", file, "--kind", "universities").status == 0)
    #expect(try workspace.feedcore("check", file, "--kind", "news").status == 65)
  }

  @Test("reads standard input")
  func standardInput() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("check", "-", input: .file(file))
    #expect(outcome.output == "stdin: valid, universities, 1 record\n")
    let report = try workspace.feedcore("check", "-", "--json", input: .file(file)).object()
    #expect(report["file"] as? String == "stdin")
  }
}
