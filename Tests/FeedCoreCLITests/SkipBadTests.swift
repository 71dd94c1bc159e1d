import Foundation
import TestSupport
import Testing

@Suite("Ingest --skip-bad")
struct SkipBadTests {
  private let workspace: Workspace
  private let file: String
  private let rejects: String

  private let wrongType = Payload.university("Delta")
    .replacingOccurrences(of: "\"Chile\"", with: "7")

  init() throws {
    workspace = try Workspace()
    rejects = workspace.path + "/rejects.ndjson"
    var bytes = Array((Payload.university("Alpha") + "\n").utf8)
    bytes += Array("{\"name\":\"broken\"\n".utf8)
    bytes += Array((Payload.university("Beta") + "\n").utf8)
    bytes += Array("{\"name\":\"b".utf8) + [0xFF] + Array("d\"}\n".utf8)
    bytes += Array((Payload.university("Gamma") + "\n").utf8)
    bytes += Array((wrongType + "\n").utf8)
    file = try workspace.file("payload.ndjson", bytes: bytes)
  }

  @Test("publishes the good records, counts the bad ones and writes them with their reasons")
  func skips() throws {
    let outcome = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--skip-bad", "3", "--rejects", rejects)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("universities: 3 records, 3 rejected, "))
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta", "Gamma"])

    let lines = try workspace.contents(rejects).split(separator: 0x0A).map { line in
      try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
    }
    try #require(lines.count == 3)
    #expect(
      Set(lines[0].keys) == [
        "file", "byteOffset", "line", "column", "record", "pointer", "reason", "raw",
      ])
    #expect(lines.map { $0["line"] as? Int } == [2, 4, 6])
    #expect(lines.map { $0["record"] as? Int } == [2, 4, 6])
    #expect(lines.allSatisfy { $0["file"] as? String == file })
    #expect(
      lines.map { $0["raw"] as? String } == [
        "{\"name\":\"broken\"", "{\"name\":\"b\u{FFFD}d\"}", wrongType,
      ])
    #expect((lines[1]["reason"] as? String)?.contains("not UTF-8") == true)
    #expect(lines[2]["pointer"] as? String == "/country")
  }

  @Test("leaves no rejects file if the ingest fails before the first reject")
  func failsBefore() throws {
    let bad = try workspace.file("bad.json", "[,]")
    for (input, status) in [(workspace.path + "/none.json", 66), (bad, 65)] as [(String, Int32)] {
      let outcome = try workspace.feedcore("ingest", input, "--skip-bad", "0", "--rejects", rejects)
      #expect(outcome.status == status)
      #expect(!FileManager.default.fileExists(atPath: rejects))
    }
  }

  @Test("leaves the rejects so far if the ingest fails later")
  func failsLater() throws {
    let outcome = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--skip-bad", "1", "--rejects", rejects)
    #expect(outcome.status == 65)
    #expect(try workspace.contents(rejects).count { $0 == 0x0A } == 1)
  }

  @Test("leaves an empty rejects file if all records are good")
  func noRejects() throws {
    let good = try workspace.file("good.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("ingest", good, "--skip-bad", "1", "--rejects", rejects)
    #expect(outcome.status == 0)
    #expect(try workspace.contents(rejects).isEmpty)
  }

  @Test("reports the number of bad records as JSON")
  func json() throws {
    let report = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--skip-bad", "50%", "--json"
    ).object()
    #expect(report["records"] as? Int == 3)
    #expect(report["rejected"] as? Int == 3)
  }

  @Test(
    "publishes nothing if there are more bad records than permitted",
    arguments: ["2", "49%", "0", "0%"])
  func tooMany(_ allowed: String) throws {
    try workspace.publishUniversities()
    let before = try workspace.snapshot()
    let outcome = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--skip-bad", allowed)
    #expect(outcome.status == 65)
    #expect(outcome.errorLines.count == 1)
    #expect(try workspace.snapshot() == before)
  }

  @Test("cannot skip a syntax error in an array, after which the structure is unknown")
  func syntaxInArray() throws {
    let array = try workspace.file("payload.json", "[\(Payload.university("Alpha")),{\"name\":}]")
    let outcome = try workspace.feedcore("ingest", array, "--skip-bad", "5")
    #expect(outcome.status == 65)
    #expect(try workspace.records(of: "universities") == nil)
  }

  @Test("skips records in an array that are JSON and break the contract")
  func schemaInArray() throws {
    let array = try workspace.file(
      "payload.json", "[\(Payload.university("Alpha")),{\"name\":1},\(Payload.university("Beta"))]")
    let outcome = try workspace.feedcore(
      "ingest", array, "--kind", "universities", "--skip-bad", "1")
    #expect(outcome.status == 0)
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta"])
  }

  @Test("writes the rejects and the report to the same file, under any name")
  func rejectsToOutput() throws {
    let both = workspace.path + "/both"
    for rejects in ["-", "/dev/stdout", "/dev/fd/1", both] {
      let command = try workspace.start(
        ["ingest", file, "--kind", "universities", "--skip-bad", "3", "--rejects", rejects],
        output: .file(both))
      #expect(command.wait() == 0)
      let lines = String(decoding: try workspace.contents(both), as: UTF8.self)
        .split(separator: "\n")
      #expect(lines.count == 4)
      #expect(lines.prefix(3).allSatisfy { $0.hasPrefix(#"{"file":"#) && $0.hasSuffix("}") })
      #expect(lines.last?.hasPrefix("universities: 3 records, 3 rejected, ") == true)
    }
  }

  @Test("continues without the rejects after their reader has closed")
  func rejectsWithoutReader() throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    close(ends[0])
    let errors = workspace.path + "/errors"
    let command = try workspace.start(
      [
        "ingest", file, "--kind", "universities", "--skip-bad", "3", "--rejects", "/dev/stdout",
        "--quiet",
      ], output: .descriptor(ends[1]), errors: .file(errors))
    close(ends[1])
    #expect(command.wait() == 0)
    #expect(try workspace.contents(errors).isEmpty)
    #expect(try workspace.names(of: "universities") == ["Alpha", "Beta", "Gamma"])
  }

  @Test("replaces the rejects of an earlier run, but not if the input is missing")
  func formerRejects() throws {
    let former = try workspace.file("rejects.ndjson", "former\n")
    let missing = workspace.path + "/none.json"
    let options = ["--kind", "universities", "--skip-bad", "3", "--rejects", former]
    #expect(try workspace.feedcore(["ingest", missing] + options).status == 66)
    #expect(try workspace.contents(former) == Data("former\n".utf8))
    #expect(try workspace.feedcore(["ingest", file] + options).status == 0)
    #expect(try workspace.contents(former).split(separator: 0x0A).count == 3)
    let good = try workspace.file("good.json", Payload.universities(["Alpha"]))
    #expect(try workspace.feedcore(["ingest", good] + options).status == 0)
    #expect(try workspace.contents(former).isEmpty)
  }

  @Test("reads nothing if the rejects cannot be written")
  func rejectsInNoDirectory() throws {
    let outcome = try workspace.feedcore(
      "ingest", "\(workspace.path)/none.json", "--skip-bad", "1", "--rejects",
      "\(workspace.path)/none/rejects")
    #expect(outcome.status == 74)
    #expect(outcome.errors.hasPrefix("\(workspace.path)/none/rejects: "))
  }

  @Test(
    "publishes nothing if a reject cannot be written",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
  func rejectsOnFullDisk() throws {
    let outcome = try workspace.feedcore(
      "ingest", file, "--kind", "universities", "--skip-bad", "3", "--rejects", "/dev/full")
    #expect(outcome.status == 74)
    #expect(outcome.errors.hasPrefix("/dev/full: "))
    #expect(try workspace.records(of: "universities") == nil)
  }

  @Test("never writes the rejects over an input")
  func rejectsOverInput() throws {
    let before = try workspace.contents(file)
    for input in [file, "-"] {
      let outcome = try workspace.feedcore(
        "ingest", input, "--skip-bad", "9", "--rejects", file, input: .file(file))
      #expect(outcome.status == 64)
      #expect(try workspace.contents(file) == before)
    }
  }

  @Test("accepts only a number or a share", arguments: ["-1", "x", "101%", "%", "1.5"])
  func nonsense(_ value: String) throws {
    #expect(try workspace.feedcore("ingest", file, "--skip-bad=\(value)").status == 64)
  }
}
