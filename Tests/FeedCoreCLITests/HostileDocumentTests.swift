import Foundation
import Testing

/// Documents that are made to take memory or time come through a pipe, which is read once.
@Suite("Hostile documents", .timeLimit(.minutes(5)))
struct HostileDocumentTests {
  /// The limit of anonymous memory with two lanes.
  private static let memory = 64 << 20
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  /// Ingests the output of lines of the shell with two lanes.
  ///
  /// - Returns: the report; nil if the ingest was refused, and then the message.
  private func ingest(
    _ lines: String, _ options: String = ""
  ) throws -> (report: [String: Any]?, message: String) {
    let (status, text) = try workspace.shell(
      "{ \(lines); } 2>/dev/null | \"$1\" ingest - --kind json --feed feed --lanes 2 --json \(options)"
    )
    let line = text.split(separator: "\n").first { $0.hasPrefix("{") } ?? ""
    let report = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (status == 0 ? report : nil, text)
  }

  private func expect(
    _ outcome: (report: [String: Any]?, message: String), records: Int, memory: Int = Self.memory
  ) throws {
    let report = try #require(outcome.report, "\(outcome.message.prefix(300))")
    #expect(report["records"] as? Int == records)
    #expect(try #require(report["peakMemoryBytes"] as? Int) <= memory)
    let check = try workspace.feedcore("store", "check")
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test("a record of a million keys is refused at the limit of a record, in little time")
  func manyKeysInRecord() throws {
    let outcome = try ingest(
      #"printf '[{'; seq 1 1000000 | sed 's/.*/"key number &":&,/'; printf '"z":1}]'"#)
    #expect(outcome.report == nil)
    #expect(outcome.message.contains("longer than the limit of 16777216 bytes"))
    #expect(try workspace.feedcore("feeds").output.isEmpty)
  }

  @Test("each member of an object of very many scalars is a record, found by its key")
  func manyMembers() throws {
    let outcome = try ingest(
      #"printf '{'; seq 1 150000 | sed 's/.*/"key&":&,/'; printf '"z":{"last":1}}'"#)
    try expect(outcome, records: 150_001)
    #expect(try workspace.feedcore("get", "feed", "key150000", "--json").lines == ["150000"])
    #expect(try workspace.feedcore("get", "feed", "z", "--json").lines == [#"{"last":1}"#])
  }

  @Test("a long object of objects may end with a scalar")
  func scalarMemberLast() throws {
    let outcome = try ingest(
      #"printf '{'; seq 1 80000 | sed 's/.*/"k&":{"a":&},/'; printf '"version":3}'"#)
    try expect(outcome, records: 80_001)
    #expect(try workspace.feedcore("get", "feed", "version", "--json").lines == ["3"])
  }

  @Test("very many different paths take bounded memory, and the schema states the uncounted values")
  func manyPaths() throws {
    let outcome = try ingest(
      #"printf '['; seq 1 100000 | sed 's/.*/{"id":&,"p&":{"q&":1}},/'; printf '{"id":0}]'"#)
    try expect(outcome, records: 100_001)
    #expect(
      try workspace.feedcore("get", "feed", "99999", "--json").lines == [
        #"{"id":99999,"p99999":{"q99999":1}}"#
      ])
    let text = try workspace.feedcore("schema", "show", "feed", "--json").output
    let schema = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let annotation = schema?["x-feedcore"] as? [String: Any]
    #expect(try #require(annotation?["uncounted"] as? Int) > 0)
  }

  @Test("records have the greatest depth, and one level more is refused")
  func depth() throws {
    let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    try expect(
      try ingest("printf '['; yes '\(deep),' | head -n 5000; printf '1]'"), records: 5_001)
    let deeper = try ingest("printf '[[\(deep)]]'")
    #expect(deeper.report == nil && deeper.message.contains("/0"), "\(deeper.message)")
  }

  @Test("records of 16 MiB are kept and found")
  func largeRecords() throws {
    let long = "head -c 16777000 /dev/zero | tr '\\0' x"
    let outcome = try ingest(
      #"printf '[{"id":1,"s":"'; \#(long); printf '"},{"id":2,"s":"'; \#(long); printf '"}]'"#,
      "--key id")
    // Two records are in memory, and the text of one as a block.
    try expect(outcome, records: 2, memory: 72 << 20)
    #expect(try workspace.feedcore("get", "feed", "2", "--json").bytes.count > 16_777_000)
  }

  @Test("a record of millions of values takes no more memory than one of a long text")
  func manyValues() throws {
    let values = "yes '1,' | tr -d '\\n' | head -c 16000000"
    let outcome = try ingest(
      #"printf '[{"v":['; \#(values); printf '{"w":null}],"id":"a"},{"id":"b","v":0}]'"#,
      "--key id --index v")
    try expect(outcome, records: 2, memory: 72 << 20)
    // The key comes after all values, of which each is counted.
    #expect(try workspace.feedcore("get", "feed", "a", "--json").bytes.count == 16_000_028)
    let schema = try workspace.feedcore("schema", "show", "feed", "--json").output
    #expect(schema.contains("8000000"), "\(schema.prefix(600))")
  }

  @Test(
    "a member of 100 MB next to the records does not stay in memory",
    arguments: [false, true])
  func largeSibling(isAfter: Bool) throws {
    let text = String(repeating: "a text next to the records ", count: 40)
    let sibling = "printf '\"x\":{\"y\":[\"\"'; yes ',\"\(text)\"' | head -n 92000; printf ']}'"
    let records = #"printf '"items":[{"id":0}'; seq 1 3000 | sed 's/.*/,{"id":&}/'; printf ']'"#
    let parts = isAfter ? [records, sibling] : [sibling, records]
    let outcome = try ingest(
      "printf '{'; \(parts[0]); printf ','; \(parts[1]); printf '}'", "--records /items")
    try expect(outcome, records: 3_001)
    #expect(try workspace.feedcore("get", "feed", "3000", "--json").lines == [#"{"id":3000}"#])
    let export = try workspace.shell("\"$1\" export feed | wc -c")
    #expect(Int(export.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 99_000_000)
  }

  @Test("a field whose values repeat at the end is not chosen as the key")
  func repeatedAtEnd() throws {
    let record = #"sed 's/.*/{"id":&,"url":"u&"},/'"#
    let outcome = try ingest(
      "printf '['; seq 1 30000 | \(record); seq 1 2000 | \(record); printf '{\"id\":0,\"url\":\"\"}]'"
    )
    try expect(outcome, records: 32_001)
    #expect(
      try workspace.feedcore("get", "feed", "#32000", "--json").lines == [
        #"{"id":0,"url":""}"#
      ])
  }

  @Test("members with the same key are all kept, and the key finds them all")
  func repeatedMembers() throws {
    let outcome = try ingest(
      #"printf '{'; yes '"same":{"a":1},' | head -n 20000; printf '"same":{"a":2}}'"#)
    try expect(outcome, records: 20_001)
    let found = try workspace.shell("\"$1\" get feed same --all --json | wc -l")
    #expect(found.text.trimmingCharacters(in: .whitespacesAndNewlines) == "20001")
  }
}
