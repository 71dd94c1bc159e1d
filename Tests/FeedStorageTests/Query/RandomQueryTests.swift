import FeedSchema
import FeedStorage
import Foundation
import JSONStream
import TestSupport
import Testing

/// Queries of random records against a naive evaluation, which shares no code with the engine.
@Suite("Random queries", .timeLimit(.minutes(2)))
struct RandomQueryTests {
  private let documents: DocumentStore

  init() throws { documents = try DocumentStore(inMemory: true) }

  private static let indexes = [[], ["a"], ["name", "tags"], ["n", "b", "odd key"]]

  @Test("of documents match a naive evaluation", arguments: 0..<UInt64(40))
  func documents(seed: UInt64) throws {
    var maker = QueryMaker(seed: seed)
    let records = (0..<maker.number(in: 1..<60)).map { maker.record($0) }
    let texts = records.map { maker.texts(of: $0) }
    let indexed = maker.pick(Self.indexes)
    let feed = try documents.ingest("[" + texts.map(\.spaced).joined(separator: ",") + "]") {
      $0.key = ["id"]
      $0.indexedFields = indexed
    }
    let known = KnownValues(records)
    for _ in 0..<20 {
      let query = maker.query(of: known, isOpen: true)
      try compare(query, feed, records, texts.map(\.compact))
    }
  }

  @Test(
    "of contracts match a naive evaluation",
    arguments: ["characters", "comments", "feed", "news", "universities"])
  func contracts(kind: String) throws {
    let payload = try String(
      contentsOf: GoldenStore.root.appending(path: "Examples/\(kind).json"), encoding: .utf8)
    let feed = try documents.ingest(payload) { $0.form = .automatic }
    #expect(feed.schema.document == nil)
    // Records of a contract are queried as it writes them.
    var texts: [String] = []
    try feed.forEachMatch(of: CompiledQuery(FeedQuery(), for: feed)) {
      _, _, text throws(StoreError) in
      texts.append(text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      return true
    }
    let records = try texts.map { try ModelValue(json: $0) }
    let known = KnownValues(records)
    var maker = QueryMaker(seed: UInt64(kind.utf8.count))
    for _ in 0..<40 {
      try compare(maker.query(of: known, isOpen: false), feed, records, texts)
    }
  }

  @Test("on several threads match a naive evaluation")
  func manyRecords() throws {
    var maker = QueryMaker(seed: 1)
    let distinct = (0..<200).map { maker.record($0) }
    let texts = distinct.map { maker.texts(of: $0).compact }
    let places = (0..<9_000).map { _ in maker.number(in: 0..<distinct.count) }
    let feed = try documents.ingest(
      "[" + places.map { texts[$0] }.joined(separator: ",") + "]")
    let records = places.map { distinct[$0] }
    let known = KnownValues(distinct)
    for _ in 0..<6 {
      let query = maker.query(of: known, isOpen: true)
      try compare(query, feed, records, places.map { texts[$0] }, QueryLimits(threads: 3))
    }
  }

  /// Arrays prevent the use of an index, and most random documents have arrays.
  @Test("of indexed scalars match a naive evaluation", arguments: 0..<UInt64(8))
  func indexed(seed: UInt64) throws {
    var maker = QueryMaker(seed: seed &+ 500)
    var records: [ModelValue] = []
    while records.count < 40 {
      guard case .object(let members) = maker.record(records.count),
        let scalar = members.last(where: { !$0.value.isContainer })
      else { continue }
      records.append(
        .object([("id", .number("\(records.count).0")), ("a", scalar.value), ("b", .null)]))
    }
    let texts = records.map { maker.texts(of: $0) }
    let feed = try documents.ingest("[" + texts.map(\.spaced).joined(separator: ",") + "]") {
      $0.key = ["id"]
      $0.indexedFields = ["a"]
    }
    let known = KnownValues(records)
    var indexed = 0
    for _ in 0..<40 {
      let query = maker.query(of: known, isOpen: false)
      try compare(query, feed, records, texts.map(\.compact))
      let compiled = try CompiledQuery(FeedQuery(where: query.conditionTexts), for: feed)
      if case .index = compiled.plan { indexed += 1 }
    }
    #expect(indexed > 3)
  }

  /// Without matches, the comparisons would verify little.
  @Test("find some of the records with each operator")
  func coverage() {
    var found: [String: Int] = [:]
    for seed in 0..<UInt64(60) {
      var maker = QueryMaker(seed: seed)
      let records = (0..<40).map { maker.record($0) }
      let known = KnownValues(records)
      for _ in 0..<40 {
        let query = maker.query(of: known, isOpen: true)
        let count = query.matches(in: records).count
        guard query.conditionTexts.count == 1, count > 0, count < records.count else { continue }
        let words = query.conditionTexts[0].split(separator: " ").map(String.init)
        for name in ModelCondition.operators where words.contains(name) {
          found[name, default: 0] += 1
        }
      }
    }
    for name in ModelCondition.operators {
      #expect(found[name, default: 0] > 5, "\(name)")
    }
  }

  /// Compares each way to query a feed with the evaluation of the model.
  private func compare(
    _ model: ModelQuery, _ feed: Feed, _ records: [ModelValue], _ texts: [String],
    _ limits: QueryLimits = .none
  ) throws {
    let query = FeedQuery(
      where: model.conditionTexts, sort: model.sortTexts, offset: model.offset, limit: model.limit)
    let (matches, expected) = (model.matches(in: records), model.positions(in: records))
    let compiled = try CompiledQuery(query, for: feed)
    let comment: Comment = "\(model), \(compiled.plan.text)"

    var positions: [Int] = []
    try feed.forEachRecord(matching: query) { _, position in positions.append(position) }
    #expect(positions == expected, comment)
    positions = []
    try feed.forEachMatch(of: compiled, limits) { _, position, text throws(StoreError) in
      positions.append(position)
      let isRecord = text.withUnsafeBytes { $0.elementsEqual(texts[position].utf8) }
      #expect(isRecord, comment)
      return true
    }
    #expect(positions == expected, comment)
    // With a later start, the query passes the records from there on.
    if query.sort.isEmpty, query.offset == 0 {
      let start = records.count / 2
      positions = []
      try feed.forEachMatch(of: compiled, limits, from: start, needsText: false) {
        _, position, _ throws(StoreError) in
        positions.append(position)
        return true
      }
      #expect(
        positions == Array(matches.filter { $0 >= start }.prefix(query.limit ?? .max)), comment)
    }

    #expect(try feed.count(matching: query) == matches.count, comment)
    #expect(try feed.count(of: compiled, limits) == matches.count, comment)
    try compareDistinct(model, feed, compiled, records, limits, comment)
  }

  private func compareDistinct(
    _ model: ModelQuery, _ feed: Feed, _ query: CompiledQuery, _ records: [ModelValue],
    _ limits: QueryLimits, _ comment: Comment
  ) throws {
    let path = try JSONPath(model.distinctPath.text)
    let found = try feed.distinctValues(path, of: query, limits).ranked()
      .map { (try ModelValue(json: String(decoding: $0.text, as: UTF8.self)), $0.count) }
      .filter { !$0.0.isContainer }
    let expected = model.distinct(in: records)
    #expect(found.map(\.1) == expected.map(\.count), comment)
    #expect(
      found.map { Array($0.0.text.utf8) } == expected.map { Array($0.value.text.utf8) }, comment)
  }
}
