import FeedSchema
import FeedStorage
import JSONStream
import TestSupport
import Testing

@Suite("A document whose records are found late")
struct SecondReadingTests {
  private static let padding = String(repeating: "x", count: 400)

  /// Records of some 420 bytes, as an array or as members of an object.
  private func records(_ count: Int, isKeyed: Bool = false) -> String {
    let records = (0..<count).map { number in
      (isKeyed ? "\"k\(number)\":" : "") + #"{"id":\#(number), "text": "\#(Self.padding)"}"#
    }
    let text = records.joined(separator: ",\n")
    return isKeyed ? "{\(text)}" : "[\(text)]"
  }

  @Test("is read a second time, as if the location was given", arguments: [false, true])
  func late(isKeyed: Bool) throws {
    // The first member alone is longer than the text by which the place is guessed.
    let late = records(6_000, isKeyed: isKeyed)
    let text = #"{"early":\#(records(3_000)),"late":\#(late),"end":1}"#
    let store = try DocumentStore(inMemory: true)
    let again = try store.ingest(file: text, into: "again")
    let once = try store.ingest(file: text, into: "once") {
      $0.plan = DocumentPlan(isKeyed ? .keyed : .array, at: ["late"])
    }
    #expect(again.description.recordCount == 6_000)
    #expect(again.schema.document == once.schema.document)
    #expect(again.description.schemaText == once.description.schemaText)
    #expect(try store.records(again) == store.records(once))
    let exported = try store.export(again)
    #expect(try exported == store.export(once))
    #expect(tokens(exported) == tokens(text))
    #expect(try store.findings() == [])
  }

  @Test(
    "is read a second time as values if the first value exceeds the inspected start",
    arguments: ["\n", " ", "\n\n  "])
  func longFirstValue(separator: String) throws {
    let first = #"{"id":1,"text":"\#(String(repeating: "x", count: 3 << 20))"}"#
    let values = [first, #"{"id":2}"#, #"[3]"#, first]
    let store = try DocumentStore(inMemory: true)
    for texts in [values, ["[\(first)]"] + values] {
      let feed = try store.ingest(file: texts.joined(separator: separator), into: "values")
      let framing = feed.schema.document?.plan.framing
      #expect(framing == (separator == "\n" ? .lines : .concatenated))
      #expect(try store.records(feed) == texts)
    }
  }

  @Test("is refused from a stream, with the remedy, if its first value exceeds the inspected start")
  func longFirstValueInStream() throws {
    let first = #"{"id":1,"text":"\#(String(repeating: "x", count: 3 << 20))"}"#
    let store = try DocumentStore(inMemory: true)
    let error = #expect(throws: IngestError.self) { try store.ingest(first + "\n{}") }
    #expect(error?.payload?.line == 2)
    #expect(error?.payload?.reason.contains("from a file") == true)
  }

  @Test("is refused at the position of invalid text after a long first value")
  func garbageAfterLongValue() throws {
    let first = #"{"id":1,"text":"\#(String(repeating: "x", count: 3 << 20))"}"#
    let store = try DocumentStore(inMemory: true)
    let error = #expect(throws: IngestError.self) {
      try store.ingest(file: first + "\n}")
    }
    #expect(error?.payload?.line == 2)
    #expect(error?.payload?.column == 1)
  }

  @Test("keeps the records found first in a stream, and the report names the others")
  func stream() throws {
    let text = #"{"early":\#(records(3_000)),"late":\#(records(6_000))}"#
    let store = try DocumentStore(inMemory: true)
    var options = IngestOptions()
    options.form = .document
    options.feed = try FeedName("feed")
    let push = store.database.push(from: "stream", options: options)
    try push.feed(Array(text.utf8))
    let report = try push.finish()
    #expect(report.records == 3_000)
    #expect(report.otherRecords?.pointer == "/late")
    let feed = try store.database.existingFeed(named: FeedName("feed"))
    #expect(try tokens(store.export(feed)) == tokens(text))
  }

  @Test("is refused from a stream if its records key is repeated and the last one counts")
  func repeatedInStream() throws {
    let text = #"{"items":[\#(Self.one)],"items":[\#(Self.two),{}]}"#
    let store = try DocumentStore(inMemory: true)
    for texts in [[text], ["[{}]", text]] {
      let push = store.database.push(from: "stream")
      let error = try #require(throws: IngestError.self) {
        for text in texts {
          try push.feed(Array(text.utf8))
          _ = try push.endDocument()
        }
      }
      #expect(error.payload?.kind == .shape)
      #expect(error.payload?.pointer == "/items")
    }
    let feed = try store.ingest(text) { $0.parsing.duplicateKeys = .first }
    #expect(try store.records(feed) == [Self.one])
  }

  private struct Repeated {
    var text: String
    var first: [String]
    var last: [String]
  }

  private static let one = #"{"id":1}"#
  private static let two = #"{"id":2}"#
  private static let repeated = [
    Repeated(
      text: #"{"items":[\#(one)],"m":1,"items":[\#(two),{}]}"#, first: [one], last: [two, "{}"]),
    Repeated(text: #"{"items":[\#(one),\#(one)],"items":[{}]}"#, first: [one, one], last: ["{}"]),
    Repeated(
      text: #"{"items":[\#(one),\#(two)],"items":5}"#, first: [one, two], last: [one, two]),
    Repeated(
      text: #"{"items":null,"items":[\#(one),\#(two)]}"#, first: [one, two], last: [one, two]),
  ]

  @Test("takes the records of the first or the last occurrence of a repeated key", arguments: 0..<4)
  func repeatedKey(number: Int) throws {
    let document = Self.repeated[number]
    let store = try DocumentStore(inMemory: true)
    for records in [nil, "/items"] {
      for choice in [JSONOptions.DuplicateKeys.first, .last] {
        let feed = try store.ingest(file: document.text) {
          $0.parsing.duplicateKeys = choice
          $0.records = records
        }
        let expected = choice == .first ? document.first : document.last
        #expect(try store.records(feed) == expected, "\(choice) of \(document.text)")
        #expect(try tokens(store.export(feed)) == tokens(document.text))
      }
      #expect(throws: IngestError.self) {
        try store.ingest(file: document.text) {
          $0.parsing.duplicateKeys = .error
          $0.records = records
        }
      }
    }
  }

  @Test("with a repeated key of the records reports no other records")
  func repeatedReport() throws {
    let store = try DocumentStore(inMemory: true)
    _ = try store.ingest(file: Self.repeated[0].text)
    var options = IngestOptions()
    options.form = .document
    options.parsing.duplicateKeys = .first
    let file = store.store.directory.path + "/feed.json"
    #expect(try store.database.ingest([file], options: options).otherRecords == nil)
  }
}
