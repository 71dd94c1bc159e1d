import FeedRecord
import FeedSchema
import FeedStorage
import Foundation
import JSONStream
import TestSupport
import Testing

/// Compares random documents, read in several ways, with an independent tokenizer and a walk over
/// the texts.
@Suite("Documents of any framing")
struct DocumentPropertyTests {
  /// A way to read documents, which must not change the result.
  private struct Manner {
    var chunk = Int.max
    var lanes = 1
    var validation = JSONOptions.Validation.replay

    static let all = [
      Manner(), Manner(chunk: 1, lanes: 2, validation: .both),
      Manner(chunk: 37, lanes: 3, validation: .yajl),
    ]
  }

  private func read(
    _ text: String, _ manner: Manner = Manner(), into store: DocumentStore,
    change: (inout IngestOptions) -> Void = { _ in }
  ) throws -> Feed {
    var options = IngestOptions()
    options.feed = try FeedName("feed")
    options.form = .document
    options.parsing.lanes = manner.lanes
    options.parsing.validation = manner.validation
    options.parsing.laneBytes = 1
    change(&options)
    let push = store.database.push(from: "test.json", options: options)
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: min(manner.chunk, max(bytes.count, 1))) {
      try push.feed(bytes[start..<min(bytes.count, start + min(manner.chunk, bytes.count))])
    }
    try push.finish()
    return try store.database.existingFeed(named: FeedName("feed"))
  }

  @Test(
    "an export has the tokens of the document, however the document is read",
    arguments: FramedDocument.Framing.allCases)
  func tokensAreKept(framing: FramedDocument.Framing) throws {
    let store = try DocumentStore(inMemory: true)
    for seed in 0..<10 {
      let count = [0, 1, 2, 3, 7, 30][seed % 6]
      let document = FramedDocument(framing, records: count, seed: UInt64(seed))
      guard !tokens(document.text).isEmpty else { continue }
      var first: (records: [String], keys: [String?], schema: [UInt8])?
      for manner in Manner.all {
        let note = Comment(rawValue: "\(document.text) in \(manner)")
        let feed = try read(document.text, manner, into: store) {
          $0.indexedFields = ["a", "n.m"]
        }
        let exported = try store.export(feed)
        #expect(tokens(exported) == tokens(document.text), note)
        let result = (
          try store.records(feed), try store.keys(feed), feed.description.schemaText
        )
        if let first {
          #expect(result.0 == first.records && result.1 == first.keys, note)
          #expect(result.2 == first.schema, note)
        } else {
          first = result
        }
      }
      #expect(try store.findings() == [])
    }
  }

  @Test(
    "an export of an export has the same bytes", arguments: FramedDocument.Framing.allCases)
  func exportOfExport(framing: FramedDocument.Framing) throws {
    let store = try DocumentStore(inMemory: true)
    for seed in 100..<112 {
      let document = FramedDocument(framing, records: 2 + seed % 20, seed: UInt64(seed))
      let feed = try read(document.text, into: store)
      let exported = try store.export(feed)
      // If records are a small part of the text, white space decides whether they are found.
      let plan = try #require(feed.schema.document).plan
      let again = try read(exported, into: store) {
        $0.isSingleRecord = plan.framing == .single
        if [.array, .keyed, .rows].contains(plan.framing) { $0.records = plan.pointer }
      }
      #expect(try store.export(again) == exported, "\(document.text)")
      #expect(again.description.recordCount == feed.description.recordCount)
    }
  }

  @Test(
    "a span has the bytes that a walk over the text finds",
    arguments: [[], ["id"], ["g", "id"], ["#"], ["n.m"]])
  func spans(key: [String]) throws {
    let store = try DocumentStore(inMemory: true)
    var seen = (absent: 0, null: 0, container: 0, scalar: 0)
    for (number, framing) in [FramedDocument.Framing.array, .wrapped, .keyed, .lines, .mixed]
      .enumerated()
    {
      let document = FramedDocument(framing, records: 60, seed: UInt64(200 + number))
      let feed = try read(document.text, Manner(lanes: 2), into: store) {
        $0.key = key
        $0.indexedFields = ["a", "\"a.b\"", "n.m", "\"\"", "g"]
      }
      let fields = feed.schema.fields.filter { feed.schema.document?.compositions[$0.id] == nil }
      #expect(fields.count >= 5)
      try feed.scan { record, _ throws(StoreError) in
        do throws(RecordError) {
          for field in fields {
            let found = try Found(field, in: record)
            #expect(found.isAsWalked, "\(found)")
            switch found.value?.first {
            case nil: seen.absent += 1
            case "n"?: seen.null += 1
            case "{"?, "["?: seen.container += 1
            default: seen.scalar += 1
            }
          }
        } catch {
          throw StoreError(error)
        }
        return true
      }
    }
    #expect(seen.absent > 20 && seen.null > 2 && seen.container > 10 && seen.scalar > 100)
  }

  @Test(
    "each record is found by its key",
    arguments: [FramedDocument.Framing.array, .wrapped, .keyed, .lines])
  func keys(framing: FramedDocument.Framing) throws {
    let store = try DocumentStore(inMemory: true)
    for (seed, key) in [[], ["id"], ["g", "id"], ["#"]].enumerated() {
      let document = FramedDocument(framing, records: 300, seed: UInt64(300 + seed))
      let feed = try read(document.text, Manner(lanes: 2), into: store) {
        $0.key = key
        $0.records = framing == .keyed ? "" : nil
      }
      let records = try store.records(feed)
      #expect(records.count == 300)
      for (record, found) in zip(records, try store.keys(feed)) {
        if key.count == 2 { continue }
        let found = try #require(found)
        #expect(try store.records(feed, found).contains(record), "\(found) of \(record)")
      }
      if key.count == 2 {
        for record in records {
          let value = JSONValue(validated: Array(record.utf8))
          let id = try #require(value["id"])
          let part = keyText(id.text)
          let group = try #require(value["g"]).text
          #expect(try store.records(feed, group, part).contains(record), "\(group) \(part)")
        }
      }
      #expect(try store.findings() == [])
    }
  }

  @Test(
    "appended documents give the records, keys and statistics of a single ingest",
    arguments: [
      FramedDocument.Framing.array, .wrapped, .keyed, .lines, .concatenated, .sequence,
    ])
  func append(framing: FramedDocument.Framing) throws {
    for (seed, key) in [[], ["id"], ["#"]].enumerated() {
      let first = FramedDocument(framing, records: 40, seed: UInt64(400 + seed)).text
      let second = FramedDocument(framing, records: 30, first: 40, seed: UInt64(500 + seed)).text
      let change: (inout IngestOptions) -> Void = {
        $0.key = key
        $0.indexedFields = ["a"]
        $0.records = framing == .keyed ? "" : nil
      }
      let added = try DocumentStore(inMemory: true)
      try added.ingest(first, change: change)
      let appended = try added.ingest(second) {
        change(&$0)
        $0.appends = true
      }
      let together = try DocumentStore(inMemory: true)
      let whole = try together.ingest(first, second, change: change)
      let records = try together.records(whole)
      #expect(records.count == 70)
      #expect(try added.records(appended) == records)
      #expect(try added.keys(appended) == together.keys(whole))
      for key in try together.keys(whole).compactMap(\.self) {
        #expect(try added.records(appended, key) == together.records(whole, key))
      }
      for value in ["0", "x  y", "true", "€\\", "-1500"] {
        let found = try added.records(appended, where: ["a"], is: value)
        #expect(try found == together.records(whole, where: ["a"], is: value))
      }
      let statistics = try Self.statistics(appended)
      #expect(try statistics == Self.statistics(whole))
      #expect(try added.findings() == [])
    }
  }

  /// The schema of a feed without its sets of values, which are incomplete after an append.
  private static func statistics(_ feed: Feed) throws -> NSDictionary {
    func withoutSets(_ value: Any) -> Any {
      if let list = value as? [Any] { return list.map(withoutSets) }
      guard var object = value as? [String: Any] else { return value }
      object["enum"] = nil
      return object.mapValues(withoutSets)
    }
    let schema = try JSONSerialization.jsonObject(with: Data(feed.description.schemaText))
    return withoutSets(schema) as? NSDictionary ?? [:]
  }
}

/// A field of a record, read from its span and found by a walk over the record's text.
private struct Found {
  let path: [String]
  /// The record's text.
  var text = ""
  let isPresent: Bool
  let isNull: Bool
  /// The bytes of the span.
  var bytes: String?
  /// The value that the walk finds.
  var value: String?

  init(_ field: PayloadSchema.Field, in record: borrowing RecordView) throws(RecordError) {
    path = field.path
    isPresent = record.isPresent(field.id)
    isNull = record.isNull(field.id)
    if let raw = try record.rawText(field.id) { bytes = Self.text(raw) }
    guard let location = record.location(of: DocumentForm.recordField),
      let whole = try record.rawJSON(location)
    else { return }
    text = Self.text(whole)
    if let range = try? JSONPath(keys: path).find(in: whole) {
      value = Self.text(whole.extracting(range))
    }
  }

  private static func text(_ bytes: RawSpan) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  var isAsWalked: Bool {
    switch value?.first {
    case nil: !isPresent && !isNull
    case "n"?: !isPresent && isNull
    case "{"?, "["?: isPresent && bytes == nil
    default: isPresent && bytes == value.map(keyText)
    }
  }
}

/// The bytes of a key for a scalar, computed with Foundation.
private func keyText(_ literal: String) -> String {
  switch literal.first {
  case "\""?:
    let array = try? JSONDecoder().decode([String].self, from: Data("[\(literal)]".utf8))
    return array?.first ?? ""
  case "t"?, "f"?: return literal
  default:
    let number = Decimal(string: literal, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
    return number.isZero ? "0" : number.description
  }
}
