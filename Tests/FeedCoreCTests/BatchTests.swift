import CFeedCore
import FeedCoreC
import FeedStorage
import TestSupport
import Testing

@Suite("Batches in C")
struct BatchTests {
  private let store: CStore

  init() throws {
    store = try CStore()
    let database = try FeedDatabase.open(at: store.directory.path)
    var options = IngestOptions()
    options.feed = try FeedName("numbers")
    options.key = ["id"]
    options.form = .document
    options.indexedFields = ["n"]
    let push = database.push(from: "test.json", options: options)
    let records = (0..<500).map { #"{"id":\#($0),"n":\#($0 % 7),"s":"é\#($0)"}"# }
    try push.feed(Array("[\(records.joined(separator: ","))]".utf8))
    _ = try push.endDocument()
    try push.finish()
  }

  private static func record(_ id: Int) -> String {
    #"{"id":\#(id),"n":\#(id % 7),"s":"é\#(id)"}"#
  }

  private func begin(
    _ reader: OpaquePointer, _ conditions: String = "", sort: String = "", offset: UInt64 = 0,
    limit: UInt64 = 0, paths: String = "", flags: UInt32 = 0
  ) -> (status: feedcore_status, message: String) {
    conditions.withCString { conditionBytes in
      sort.withCString { sortBytes in
        var query = feedcore_query()
        query.size = MemoryLayout<feedcore_query>.size
        (query.conditions, query.conditions_length) = (conditionBytes, conditions.utf8.count)
        (query.sort, query.sort_length) = (sortBytes, sort.utf8.count)
        (query.offset, query.limit) = (offset, limit)
        return outcome { error in
          feedcore_batch_begin(reader, &query, paths, paths.utf8.count, flags, error)
        }
      }
    }
  }

  /// The rest of the batches: their texts, and the elements that the offsets name.
  private func rest(_ reader: OpaquePointer, size: Int = 100) -> (
    texts: [String], elements: [String]
  ) {
    var (texts, elements): ([String], [String]) = ([], [])
    var batch = feedcore_batch()
    while feedcore_batch_next(reader, size, &batch, nil) == FEEDCORE_OK {
      let bytes = UnsafeRawBufferPointer(start: batch.bytes, count: batch.length)
      let offsets = UnsafeBufferPointer(start: batch.offsets, count: batch.count + 1)
      texts.append(String(decoding: bytes, as: UTF8.self))
      for (start, end) in zip(offsets, offsets.dropFirst()) {
        elements.append(String(decoding: bytes[Int(start)..<Int(end) - 1], as: UTF8.self))
      }
    }
    #expect(batch.bytes == nil && batch.count == 0)
    return (texts, elements)
  }

  @Test("all records are returned in order, and each batch is an array", arguments: [1, 100, 0])
  func all(size: Int) throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_batch_begin(reader, nil, nil, 0, 0, nil) == FEEDCORE_OK)
    let (texts, elements) = rest(reader, size: size)
    #expect(elements == (0..<500).map(Self.record))
    #expect(texts.count == (size == 1 ? 500 : size == 0 ? 1 : texts.count))
    #expect(texts.allSatisfy { $0.first == "[" && $0.last == "]" })
    #expect(
      texts.map { $0.dropFirst().dropLast() }.joined(separator: ",")
        == elements.joined(separator: ","))
  }

  @Test("a scan, an index and an order give the records of a query")
  func queries() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    let found = (0..<500).filter { $0 % 7 == 3 }
    for (conditions, sort) in [("n >= 3\nn <= 3", ""), ("n = 3", ""), ("n = 3", "id")] {
      // A batch has at least one record.
      for size in [1, 100] {
        // An order needs a limit.
        #expect(begin(reader, conditions, sort: sort, offset: 5, limit: 20).status == FEEDCORE_OK)
        let records = rest(reader, size: size).elements
        #expect(records == found[5..<25].map(Self.record), "\(conditions) \(sort) \(size)")
      }
    }
    #expect(begin(reader, "", offset: 490, limit: 3).status == FEEDCORE_OK)
    #expect(rest(reader).elements == (490..<493).map(Self.record))
    #expect(begin(reader, "n > 7").status == FEEDCORE_OK)
    #expect(rest(reader).elements == [])
  }

  @Test("each path gives a value, and each line ends with a line feed")
  func forms() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    #expect(begin(reader, limit: 2, paths: "s").status == FEEDCORE_OK)
    #expect(rest(reader).texts == [#"["é0","é1"]"#])
    #expect(begin(reader, limit: 2, paths: "n\nnone\n/id").status == FEEDCORE_OK)
    #expect(rest(reader).texts == ["[[0,null,0],[1,null,1]]"])
    // Characters would join a carriage return or a combining mark with the line feed.
    #expect(begin(reader, limit: 1, paths: "n\r\nid\n\u{301}").status == FEEDCORE_OK)
    #expect(rest(reader).texts == ["[[null,0,null]]"])
    #expect(begin(reader, "n >= 3", limit: 2, paths: "s").status == FEEDCORE_OK)
    #expect(rest(reader).texts == [#"["é3","é4"]"#])
    #expect(begin(reader, paths: "s\n\nid").status == FEEDCORE_MISUSE)
    #expect(begin(reader, limit: 2, flags: FEEDCORE_LINES).status == FEEDCORE_OK)
    #expect(rest(reader).texts == [Self.record(0) + "\n" + Self.record(1) + "\n"])
  }

  @Test("batches are of one generation, and independent of the current record")
  func generation() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    #expect(begin(reader).status == FEEDCORE_OK)
    var batch = feedcore_batch()
    #expect(feedcore_batch_next(reader, 1, &batch, nil) == FEEDCORE_OK)
    #expect(feedcore_get_text(reader, "7", 1, nil) == FEEDCORE_OK)
    try store.ingest(#"[{"id":1,"n":1}]"#, feed: "numbers")
    #expect(rest(reader).elements == (1..<500).map(Self.record))
    #expect(feedcore_batch_next(reader, 0, &batch, nil) == FEEDCORE_NONE)
  }

  @Test("a key is found by its text")
  func keys() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    var position: UInt64 = 0
    #expect(feedcore_get_text(reader, "42", 2, nil) == FEEDCORE_OK)
    #expect(feedcore_reader_position(reader, &position) == FEEDCORE_OK && position == 42)
    #expect(feedcore_get_text(reader, "500", 3, nil) == FEEDCORE_NONE)
    #expect(feedcore_reader_position(reader, &position) == FEEDCORE_NONE)
    #expect(feedcore_get_text(reader, "\u{FF}", -1, nil) == FEEDCORE_MISUSE)
    try store.ingest(Documents.comments, feed: "comments")
    let comments = try store.reader("comments")
    defer { feedcore_reader_close(comments) }
    let id = "7019D8A7-0B35-4057-B7F9-8C5471961ED0"
    #expect(feedcore_get_text(comments, id, id.utf8.count, nil) == FEEDCORE_OK)
    #expect(feedcore_get_text(comments, "no id", 5, nil) == FEEDCORE_NONE)
  }

  @Test("an invalid query, path or flag is misuse with the reason")
  func faults() throws {
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    var batch = feedcore_batch()
    #expect(feedcore_batch_next(reader, 0, &batch, nil) == FEEDCORE_NONE)
    #expect(begin(reader, "n ? 1").status == FEEDCORE_MISUSE)
    #expect(begin(reader, paths: "a[").status == FEEDCORE_MISUSE)
    #expect(begin(reader, flags: 2).status == FEEDCORE_MISUSE)
    let many = String(repeating: "n\n", count: 257)
    #expect(begin(reader, paths: many).message.contains("256"))
    #expect(begin(reader).status == FEEDCORE_OK)
    #expect(feedcore_batch_next(reader, -1, &batch, nil) == FEEDCORE_MISUSE)
    #expect(feedcore_batch_next(reader, 0, nil, nil) == FEEDCORE_MISUSE)
    #expect(feedcore_batch_next(nil, 0, &batch, nil) == FEEDCORE_BAD_HANDLE)
  }
}
