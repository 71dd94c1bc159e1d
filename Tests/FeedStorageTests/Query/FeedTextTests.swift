import FeedSchema
import FeedStorage
import TestSupport
import Testing

@Suite("Records of queries as text")
struct FeedTextTests {
  private let documents: DocumentStore

  init() throws { documents = try DocumentStore(inMemory: true) }

  private func text(
    _ feed: Feed, _ form: RecordTextForm, _ query: FeedQuery = FeedQuery()
  ) throws -> String {
    var text: [UInt8] = []
    _ = try feed.writeText(of: CompiledQuery(query, for: feed), as: form) { part in
      part.withUnsafeBytes { text.append(contentsOf: $0) }
      return true
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func document(_ feed: Feed, _ form: FeedFrame.Form) -> RecordTextForm {
    .document(FeedFrame(feed.description, form))
  }

  @Test("an array has only the records, whatever their container in the document")
  func arrays() throws {
    let members = (0..<9).map { #""k\#($0)":{"a":\#($0)}"# }.joined(separator: ",\n")
    let keyed = try documents.ingest(file: "{\(members)}")
    #expect(try text(keyed, document(keyed, .source)) == "{\n\(members)\n}\n")
    let records = (0..<9).map { #"{"a":\#($0)}"# }.joined(separator: ",\n")
    #expect(try text(keyed, document(keyed, .array)) == "[\n\(records)\n]\n")
    let wrapped = try documents.ingest(file: #"{"n":1,"items":[\#(records)]}"#, into: "other")
    #expect(try text(wrapped, document(wrapped, .array)) == "[\n\(records)\n]\n")
  }

  @Test("without records, an array and the lines are empty, and CSV has its header")
  func empty() throws {
    let feed = try documents.ingest(#"[{"a":1},{"a":2}]"#)
    let none = FeedQuery(where: ["a = 3"])
    #expect(try text(feed, document(feed, .array), none) == "[]\n")
    #expect(try text(feed, document(feed, .lines), none) == "")
    let lines = DelimitedText(.commas, try QueryFields("a,b"))
    #expect(try text(feed, .delimited(lines), none) == "a,b\r\n")
  }

  @Test("CSV and TSV quote values as needed, and null and absent values have the given text")
  func delimited() throws {
    let feed = try documents.ingest(
      #"[{"a":"x,y","b":"\"q\""},{"a":"t\tu","b":null},{"b":[1,{"c":"d"}],"a":""}]"#)
    let fields = try QueryFields("b,a,c")
    #expect(
      try text(feed, .delimited(DelimitedText(.commas, fields)))
        == "b,a,c\r\n\"\"\"q\"\"\",\"x,y\",\r\n,t\tu,\r\n\"[1,{\"\"c\"\":\"\"d\"\"}]\",\"\",\r\n")
    #expect(
      try text(feed, .delimited(DelimitedText(.tabs, fields, null: "NULL")))
        == "b\ta\tc\n\"\"\"q\"\"\"\tx,y\tNULL\nNULL\t\"t\tu\"\tNULL\n"
        + "\"[1,{\"\"c\"\":\"\"d\"\"}]\"\t\"\"\tNULL\n")
  }

  @Test("parts have at least 64 KiB, except the last one, and join to the complete text")
  func parts() throws {
    let long = String(repeating: "x", count: 300 << 10)
    let records = (0..<3_000).map { number in
      #"{"n":\#(number),"t":"\#(number == 1_000 ? long : "text of record \(number)")"}"#
    }
    let feed = try documents.ingest("[\(records.joined(separator: ","))]")
    var parts: [[UInt8]] = []
    let count = try feed.writeText(
      of: CompiledQuery(FeedQuery(), for: feed), as: document(feed, .lines)
    ) { part in
      parts.append(part.withUnsafeBytes { Array($0) })
      return true
    }
    #expect(count == 3_000)
    #expect(parts.count > 2 && parts.dropLast().allSatisfy { $0.count >= 64 << 10 })
    let text = String(decoding: parts.joined(), as: UTF8.self)
    #expect(text == records.map { $0 + "\n" }.joined())
  }

  @Test("nothing is passed after the receiver stops, not even the end of the document")
  func stopped() throws {
    let records = (0..<20_000).map { #"{"n":\#($0)}"# }
    let feed = try documents.ingest("[\(records.joined(separator: ","))]")
    var parts = 0
    let count = try feed.writeText(
      of: CompiledQuery(FeedQuery(), for: feed), as: document(feed, .array)
    ) { _ in
      parts += 1
      return parts < 2
    }
    #expect(parts == 2)
    #expect((1..<20_000).contains(count))
  }

  @Test("a query that finds nothing ends when it is cancelled")
  func cancelled() throws {
    let records = (0..<2_000).map { #"{"n":\#($0)}"# }
    let feed = try documents.ingest("[\(records.joined(separator: ","))]")
    let query = try CompiledQuery(FeedQuery(where: ["n < 0"]), for: feed)
    let form = document(feed, .lines)
    #expect(
      try code { _ = try feed.writeText(of: query, as: form, QueryLimits { true }) { _ in true } }
        == .cancelled)
  }
}
