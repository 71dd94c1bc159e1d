import CFeedCore
import FeedCoreC
import TestSupport
import Testing

/// Compares queries of random documents through C with a naive evaluation.
@Suite("Random queries in C", .timeLimit(.minutes(2)))
struct RandomQueryTests {
  private let store: CStore

  init() throws { store = try CStore() }

  @Test("give the same results as a naive evaluation", arguments: 0..<UInt64(30))
  func documents(seed: UInt64) throws {
    var maker = QueryMaker(seed: seed &+ 1_000)
    let records = (0..<maker.number(in: 1..<60)).map { maker.record($0) }
    let texts = records.map { maker.texts(of: $0) }
    try ingest(
      "[" + texts.map(\.spaced).joined(separator: ",") + "]",
      indexes: maker.pick(["", "a", "name,tags"]))
    let reader = try store.reader("feed")
    defer { #expect(feedcore_reader_close(reader) == FEEDCORE_OK) }
    let known = KnownValues(records)
    for _ in 0..<20 {
      let query = maker.query(of: known, isOpen: true)
      let expected = query.positions(in: records).map { texts[$0].compact }
      let comment: Comment = "\(query)"

      let found = each(query, reader)
      #expect(found.status == (expected.isEmpty ? FEEDCORE_NONE : FEEDCORE_OK), comment)
      #expect(found.texts.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, comment)
      #expect(found.count == UInt64(expected.count), comment)
      #expect(count(query, reader) == UInt64(query.matches(in: records).count), comment)

      // A visit that returns a nonzero value is the last.
      guard expected.count > 1 else { continue }
      let stopped = each(query, reader, visits: 1)
      #expect(stopped.texts.map { Array($0.utf8) } == [Array(expected[0].utf8)], comment)
      #expect(stopped.count == 1, comment)
    }
  }

  private func ingest(_ text: String, indexes: String) throws {
    var ingest: OpaquePointer?
    let status = "feed".withCString { feed in
      "id".withCString { key in
        indexes.withCString { indexed in
          var options = feedcore_ingest_options.initial
          (options.feed, options.feed_length) = (feed, 4)
          (options.key, options.key_length) = (key, 2)
          (options.indexed_fields, options.indexed_fields_length) = (indexed, indexes.utf8.count)
          return store.begin(kind: "json", &ingest, options)
        }
      }
    }
    #expect(status == FEEDCORE_OK)
    var error: OpaquePointer?
    #expect(feedcore_ingest_push(ingest, text, text.utf8.count, &error) == FEEDCORE_OK)
    #expect(feedcore_ingest_finish(ingest, nil, &error) == FEEDCORE_OK, "\(take(error))")
  }

  /// What the visits of a query have received.
  private final class Visits {
    var texts: [String] = []
    let maximum: Int

    init(maximum: Int) { self.maximum = maximum }
  }

  private func each(
    _ model: ModelQuery, _ reader: OpaquePointer, visits: Int = .max
  ) -> (status: feedcore_status, texts: [String], count: UInt64) {
    let visits = Visits(maximum: visits)
    var count: UInt64 = 7
    var error: OpaquePointer?
    let status = with(model) { query in
      feedcore_query_each(
        reader, query,
        { context, reader in
          guard let context else { return 1 }
          let visits = Unmanaged<Visits>.fromOpaque(context).takeUnretainedValue()
          var bytes: UnsafePointer<CChar>?
          var length = 0
          guard feedcore_reader_text(reader, &bytes, &length) == FEEDCORE_OK else { return 1 }
          let text = UnsafeRawBufferPointer(start: bytes, count: length)
          visits.texts.append(String(decoding: text, as: UTF8.self))
          return visits.texts.count < visits.maximum ? 0 : 1
        }, Unmanaged.passUnretained(visits).toOpaque(), &count, &error)
    }
    #expect(take(error).isEmpty)
    return (status, visits.texts, count)
  }

  private func count(_ model: ModelQuery, _ reader: OpaquePointer) -> UInt64 {
    var count: UInt64 = 7
    var error: OpaquePointer?
    let status = with(model) { feedcore_query_count(reader, $0, &count, &error) }
    #expect(status == FEEDCORE_OK, "\(take(error))")
    return count
  }

  private func with<Result>(
    _ model: ModelQuery, _ body: (UnsafePointer<feedcore_query>) -> Result
  ) -> Result {
    let conditions = Array(model.conditionTexts.joined(separator: "\n").utf8CString)
    let sort = Array(model.sortTexts.joined(separator: "\n").utf8CString)
    return conditions.withUnsafeBufferPointer { conditions in
      sort.withUnsafeBufferPointer { sort in
        var query = feedcore_query()
        query.size = MemoryLayout<feedcore_query>.size
        (query.conditions, query.conditions_length) = (conditions.baseAddress, conditions.count - 1)
        (query.sort, query.sort_length) = (sort.baseAddress, sort.count - 1)
        (query.offset, query.limit) = (UInt64(model.offset), UInt64(model.limit ?? 0))
        return body(&query)
      }
    }
  }
}
