import Foundation
import TestSupport
import Testing

/// A payload that must be refused, with the position and the reason in the message.
struct BadInput: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: @Sendable () -> [UInt8]
  /// Line and column.
  let place: String
  let reason: String
  /// The kind whose contract the payload breaks; nil if the text is not JSON.
  var kind: String?

  /// The options of a command.
  var options: [String] { kind.map { ["--kind", $0] } ?? [] }

  func of(_ kind: String) -> BadInput {
    var input = self
    input.kind = kind
    return input
  }

  init(_ name: String, _ place: String, _ reason: String, _ text: String) {
    self.init(name, place, reason) { Array(text.utf8) }
  }

  init(
    _ name: String, _ place: String, _ reason: String, bytes: @escaping @Sendable () -> [UInt8]
  ) {
    testDescription = name
    self.bytes = bytes
    self.place = place
    self.reason = reason
  }
}

extension BadInput {
  private static let good = Payload.university("Alpha")

  static let all: [BadInput] = [
    BadInput("a truncated file", "2:20", "the input ends here", "[\n" + good.prefix(19)),
    BadInput("bad UTF-8", "2:11", "not UTF-8: the byte 0xFF") {
      Array("[\n{\"name\":\"A".utf8) + [0xFF] + Array("\"}\n]".utf8)
    },
    BadInput(
      "a lone surrogate", "2:10", "half of a surrogate pair", "[\n{\"name\":\"\\ud800\"}\n]"),
    BadInput(
      "a form feed between records", "3:1", "a form feed is not allowed",
      "[\n\(good),\n\u{0C}\(good)\n]"),
    BadInput("a trailing comma", "3:1", "expected a value, found ']'", "[\n\(good),\n]"),
    BadInput(
      "an unterminated last string", "2:11", "the end of a string is missing", "[\n{\"name\":\"A"),
    BadInput(
      "a second byte order mark", "1:4", "found the byte 0xEF", "\u{FEFF}\u{FEFF}[\(good)]"),
    BadInput("NaN", "2:9", "expected a value, found 'N'", "[\n{\"name\":NaN}\n]"),
    BadInput("a comment", "2:1", "found '/'", "[\n/* all of them */\(good)\n]"),
    BadInput("text after the end", "3:3", "expected the end of the text", "[\n\(good)\n] x"),
    BadInput("100 000 levels", "1:129", "deeper than the limit of 128 levels") {
      [UInt8](repeating: 0x5B, count: 100_000) + [UInt8](repeating: 0x5D, count: 100_000)
    },
    BadInput("a 20 MB string", "2:1", "longer than the limit of 16777216 bytes") {
      Array("[\n{\"name\":\"".utf8) + [UInt8](repeating: 0x61, count: 20_000_000)
        + Array("\"}\n]".utf8)
    },
    BadInput(
      "a missing field", "3:1", "the required field country is missing",
      "[\n\(good),\n{\"name\":\"B\",\"web_pages\":[],\"alpha_two_code\":\"CL\"}\n]"
    ).of("universities"),
    BadInput(
      "a field of another type", "3:55", "expected a string, found a number",
      "[\n\(good),\n" + good.replacingOccurrences(of: "\"Chile\"", with: "7") + "\n]"
    ).of("universities"),
    BadInput(
      "null in a required field", "2:55", "expected a string, found null",
      "[\n" + good.replacingOccurrences(of: "\"Chile\"", with: "null") + "\n]"
    ).of("universities"),
    BadInput("a bad UUID", "1:17", "expected a UUID", Payload.comment(id: "59916DC3")).of(
      "comments"),
    BadInput(
      "no URL", "1:64", "expected a URL", Payload.image(url: "http://a b/")
    ).of("feed"),
    BadInput(
      "a bad date", "1:83", "expected a date", Payload.comment(date: "2020-05-20 11:24")
    ).of("comments"),
    BadInput(
      "a second array of records", "2:11", "a second array of records",
      "{\"results\":[\(Payload.character("A"))],\n\"results\":[]}"
    ).of("characters"),
  ]
}

@Suite("Bad input")
struct BadInputTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try workspace.publishUniversities()
  }

  @Test(
    "is refused with 65 and one line that names the position, and changes nothing",
    arguments: BadInput.all)
  func isRefused(_ input: BadInput) throws {
    let before = try workspace.snapshot()
    let file = try workspace.file("bad.json", bytes: input.bytes())

    let outcome = try workspace.feedcore(
      ["ingest", file, "--feed", "universities"] + input.options)

    #expect(outcome.status == 65)
    #expect(outcome.output == "")
    #expect(outcome.errorLines.count == 1)
    #expect(outcome.errors.hasPrefix("\(file):\(input.place): "), "\(outcome.errors.prefix(200))")
    #expect(outcome.errors.contains(input.reason), "\(outcome.errors.prefix(200))")
    #expect(try workspace.snapshot() == before)
  }

  @Test("gets the same message from check", arguments: BadInput.all)
  func isRefusedByCheck(_ input: BadInput) throws {
    let file = try workspace.file("bad.json", bytes: input.bytes())

    let ingest = try workspace.feedcore(["ingest", file] + input.options)
    let check = try workspace.feedcore(["check", file] + input.options)

    #expect(check.status == 65)
    #expect(check.errors == ingest.errors)
  }

  @Test("that is empty is an error, unless its kind or its feed is named")
  func empty() throws {
    for text in ["", " \n"] {
      let file = try workspace.file("empty.json", text)
      let outcome = try workspace.feedcore("ingest", file)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("the input is empty"))
      for options in [["--kind", "news"], ["--feed", "universities"]] {
        #expect(try workspace.feedcore(["ingest", file] + options).status == 0, "\(options)")
      }
      try workspace.publishUniversities()
    }
  }

  @Test("that is a directory ends with 66")
  func directory() throws {
    let outcome = try workspace.feedcore("ingest", workspace.path)
    #expect(outcome.status == 66)
    #expect(outcome.errorLines == ["\(workspace.path): is a directory; name a file"])
    let input = try workspace.feedcore("ingest", "-", input: .file(workspace.path))
    #expect(input.status == 66)
    #expect(input.errorLines == ["stdin: is a directory; redirect a file"])
  }

  @Test("that does not exist ends with 66 and changes nothing")
  func missingFile() throws {
    let before = try workspace.snapshot()
    let outcome = try workspace.feedcore("ingest", "\(workspace.path)/none.json")
    #expect(outcome.status == 66)
    #expect(outcome.errorLines == ["\(workspace.path)/none.json: no such file"])
    #expect(try workspace.snapshot() == before)
  }

  @Test(
    "that may not be read ends with 66",
    .enabled(if: geteuid() != 0, "to root every file is readable"))
  func unreadableFile() throws {
    let file = try workspace.file("secret.json", Payload.universities(["Alpha"]))
    chmod(file, 0)
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 66)
    #expect(outcome.errorLines == ["\(file): not readable: permission denied"])
  }

  @Test("in the second of two files prevents the first one from being stored")
  func secondFile() throws {
    let before = try workspace.snapshot()
    let good = try workspace.file("good.json", Payload.universities(["Delta"]))
    let bad = try workspace.file("bad.json", "[\n{\"name\":1}]")
    let outcome = try workspace.feedcore("ingest", good, bad)
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("\(bad):2:"))
    #expect(try workspace.snapshot() == before)
  }

  @Test("from standard input is reported as stdin")
  func standardInput() throws {
    let file = try workspace.file("bad.json", "[,]")
    let outcome = try workspace.feedcore("ingest", "-", input: .file(file))
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("stdin:1:2: "))
  }

  @Test("cannot send sequences to the terminal through an error")
  func controlCharacters() throws {
    let file = try workspace.file("\u{1B}[31m.json", "[,]")
    let outcome = try workspace.feedcore("ingest", file)
    #expect(outcome.status == 65)
    #expect(!outcome.errors.contains("\u{1B}"))
    #expect(outcome.errors.contains("\\u001B[31m.json:1:2: "))
  }
}
