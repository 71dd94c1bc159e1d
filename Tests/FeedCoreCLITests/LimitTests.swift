import Foundation
import Testing

@Suite("Limits")
struct LimitTests {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  @Test("permit a record with a string of 12 MB, which is stored and read")
  func largeRecord() throws {
    let name = String(repeating: "gr\u{00F6}\u{00DF}e ", count: 12_000_000 / 8)
    let text =
      "[\n" + Payload.university("Alpha") + ",\n"
      + Payload.university("Omega", country: name) + "\n]\n"
    let file = try workspace.file("large.json", text)

    let outcome = try workspace.feedcore("ingest", file, "--quiet")
    #expect(outcome.status == 0, "\(outcome.errors.prefix(200))")

    let copy = "\(workspace.path)/copy.json"
    #expect(try workspace.feedcore("export", "universities", "--output", copy).status == 0)
    #expect(try workspace.contents(copy) == Data(text.utf8))
    let record = try workspace.feedcore("get", "universities", "Omega", "--json").object()
    #expect(record["country"] as? String == name)
  }

  @Test("on a record are an option")
  func recordLimit() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let refused = try workspace.feedcore("ingest", file, "--max-record-bytes", "100")
    #expect(refused.status == 65)
    #expect(refused.errors.hasPrefix("\(file):2:1: a record is longer than the limit of 100 bytes"))
    #expect(try workspace.feedcore("ingest", file, "--max-record-bytes", "1000").status == 0)
  }

  @Test("on a list are an option, and the message names the first excess element")
  func listLimit() throws {
    let record = Payload.university("Beta").replacingOccurrences(
      of: "\"web_pages\":[]", with: "\"web_pages\":[\"a\",\"b\",\"c\"]")
    let text = "[\n\(Payload.university("Alpha")),\n\(record)\n]\n"
    let file = try workspace.file("payload.json", text)
    let refused = try workspace.feedcore("ingest", file, "--max-list-elements", "2")
    #expect(refused.status == 65)
    let column = try #require(record.range(of: "\"c\"")).lowerBound.utf16Offset(in: record) + 1
    #expect(refused.errors.hasPrefix("\(file):3:\(column): a list is longer than the limit of 2"))
    #expect(refused.errors.hasSuffix(", record 2, /1/web_pages/2)\n"), "\(refused.errors)")
    #expect(try workspace.feedcore("ingest", file, "--max-list-elements", "3").status == 0)
  }

  @Test("are written with units of bytes too")
  func units() throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let refused = try workspace.feedcore("check", file, "--max-record-bytes", "100 B")
    #expect(refused.errors.contains("longer than the limit of 100 bytes"))
    #expect(try workspace.feedcore("check", file, "--max-record-bytes", "1KiB").status == 0)
    #expect(try workspace.feedcore("ingest", file, "--file-limit", "2GB").status == 0)
  }

  @Test("on a record raise the limit on a string, too")
  func raisedLimit() throws {
    let name = String(repeating: "a", count: 17 << 20)
    let file = try workspace.file("payload.json", Payload.universities([name]))
    #expect(try workspace.feedcore("check", file).status == 65)
    #expect(try workspace.feedcore("check", file, "--max-record-bytes", "\(20 << 20)").status == 0)
  }

  @Test("on depth are an option")
  func depthLimit() throws {
    let nested = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let file = try workspace.file(
      "payload.json", "[" + Payload.university("Alpha", more: ",\"more\":\(nested)") + "]")
    #expect(try workspace.feedcore("check", file).status == 65)
    #expect(try workspace.feedcore("check", file, "--max-depth", "300").status == 0)
  }

  @Test("with invalid values are wrong usage", arguments: ["0", "-1", "many"])
  func nonsense(_ value: String) throws {
    let file = try workspace.file("payload.json", Payload.universities(["Alpha"]))
    let outcome = try workspace.feedcore("check", file, "--max-record-bytes=\(value)")
    #expect(outcome.status == 64)
  }
}
