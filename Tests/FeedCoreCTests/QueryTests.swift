import CFeedCore
import FeedCoreC
import FeedStorage
import TestSupport
import Testing

@Suite("Queries in C")
struct QueryTests {
  private let store: CStore

  init() throws {
    store = try CStore()
    let database = try FeedDatabase.open(at: store.directory.path)
    var options = IngestOptions()
    options.feed = try FeedName("numbers")
    let push = database.push(from: "test.json", options: options)
    let records = (0..<100).map { #"{"id":\#($0),"n":\#($0 * 37 % 101),"even":\#($0 % 2 == 0)}"# }
    try push.feed(Array("[\(records.joined(separator: ","))]".utf8))
    _ = try push.endDocument()
    try push.finish()
  }

  /// Runs a query and returns its status, the texts of the records, and the error.
  private func run(
    _ conditions: String, sort: String = "", offset: UInt64 = 0, limit: UInt64 = 0,
    size: Int = MemoryLayout<feedcore_query>.size
  ) throws -> (feedcore_status, [String], String?) {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    final class Texts { var all: [String] = [] }
    let texts = Texts()
    var error: OpaquePointer?
    defer { feedcore_error_free(error) }
    var count: UInt64 = 0
    let status = conditions.withCString { conditionBytes in
      sort.withCString { sortBytes in
        var query = feedcore_query()
        query.size = size
        (query.conditions, query.conditions_length) = (conditionBytes, conditions.utf8.count)
        (query.sort, query.sort_length) = (sortBytes, sort.utf8.count)
        (query.offset, query.limit) = (offset, limit)
        return feedcore_query_each(
          reader, &query,
          { context, reader in
            guard let context else { return 1 }
            var bytes: UnsafePointer<CChar>?
            var length = 0
            guard feedcore_reader_text(reader, &bytes, &length) == FEEDCORE_OK else { return 1 }
            let text = UnsafeRawBufferPointer(start: bytes, count: length)
            Unmanaged<Texts>.fromOpaque(context).takeUnretainedValue().all
              .append(String(decoding: text, as: UTF8.self))
            return 0
          }, Unmanaged.passUnretained(texts).toOpaque(), &count, &error)
      }
    }
    #expect(count == UInt64(texts.all.count))
    let message = feedcore_error_message(error, nil).map { String(cString: $0) }
    return (status, texts.all, message)
  }

  @Test("records are selected by conditions, order, offset and limit")
  func records() throws {
    let (status, texts, _) = try run(
      "n >= 50\neven = true", sort: "-n", offset: 1, limit: 2)
    let expected = (0..<100).filter { $0 % 2 == 0 }.map { ($0, $0 * 37 % 101) }
      .filter { $0.1 >= 50 }.sorted { $0.1 > $1.1 }[1...2]
    #expect(status == FEEDCORE_OK)
    #expect(texts == expected.map { #"{"id":\#($0.0),"n":\#($0.1),"even":true}"# })
  }

  @Test("records are counted")
  func count() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    var query = feedcore_query()
    query.size = MemoryLayout<feedcore_query>.size
    var count: UInt64 = 0
    let status = "even = false".withCString { bytes in
      (query.conditions, query.conditions_length) = (bytes, 12)
      return feedcore_query_count(reader, &query, &count, nil)
    }
    #expect(status == FEEDCORE_OK && count == 50)
  }

  @Test("no record is FEEDCORE_NONE, and an invalid query FEEDCORE_MISUSE with the reason")
  func faults() throws {
    #expect(try run("n < 0").0 == FEEDCORE_NONE)
    let (status, _, message) = try run("n ? 1")
    #expect(status == FEEDCORE_MISUSE && message?.contains("operator") == true)
    #expect(try run("", sort: "n").0 == FEEDCORE_MISUSE)
    #expect(try run("", size: 3).0 == FEEDCORE_MISUSE)
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_query_each(reader, nil, { _, _ in 0 }, nil, nil, nil) == FEEDCORE_MISUSE)
  }
}
