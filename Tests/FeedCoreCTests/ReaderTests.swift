import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

@Suite("Reading from C")
struct ReaderTests {
  @Test("feeds are listed by name with their properties")
  func feeds() throws {
    let store = try CStore()
    try store.ingest(Documents.universities, feed: "b")
    try store.ingest(Documents.comments, feed: "a")
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_list(store.handle, &feeds, nil) == FEEDCORE_OK)
    defer { feedcore_feeds_free(feeds) }
    #expect(feedcore_feeds_count(feeds) == 2)
    let first = try #require(feedcore_feeds_at(feeds, 0)).pointee
    let second = try #require(feedcore_feeds_at(feeds, 1)).pointee
    #expect(feedcore_feeds_at(feeds, 2) == nil)
    #expect(feedcore_feeds_at(feeds, -1) == nil)
    #expect(first.name.map { String(cString: $0) } == "a")
    #expect(first.kind.map { String(cString: $0) } == "comments")
    #expect(first.record_count == 1)
    #expect(first.envelope.map { String(cString: $0) } == #"{"items":[]}"#)
    #expect(first.entity_tag == nil && first.last_modified == nil)
    #expect(second.name.map { String(cString: $0) } == "b")
    #expect(second.record_count == 3)
    #expect(second.key_field == 1)
    #expect(second.origin.map { String(cString: $0) } == "C")
    #expect(first.generation > second.generation)
    #expect(
      abs(second.reference_seconds + FEEDCORE_REFERENCE_EPOCH - Date().timeIntervalSince1970) < 600)
  }

  @Test("a feed is found by its name; a missing feed is not a failure")
  func find() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_find(store.handle, "universities", 12, &feeds, nil) == FEEDCORE_OK)
    #expect(feedcore_feeds_count(feeds) == 1)
    feedcore_feeds_free(feeds)
    #expect(
      outcome { feedcore_feeds_find(store.handle, "other", 5, &feeds, $0) } == (FEEDCORE_NONE, ""))
    #expect(feeds == nil)
  }

  @Test("a record is found by its key, and its fields by name and by id")
  func get() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    let key = "São Paulo"
    #expect(feedcore_get(reader, key, key.utf8.count, nil) == FEEDCORE_OK)
    #expect(text(reader, "name") == key)
    #expect(text(reader, "country") == "Brazil")
    #expect(list(reader, "web_pages") == [])
    #expect(text(reader, "state-province") == nil)
    var value = feedcore_value()
    #expect(feedcore_field(reader, 2, &value) == FEEDCORE_OK)
    #expect(value.type == FEEDCORE_TEXT)
    #expect(value.length == 6)
    #expect(feedcore_field(reader, 77, &value) == FEEDCORE_NONE)
    #expect(value.bytes == nil)
    var position: UInt64 = 0
    #expect(feedcore_reader_position(reader, &position) == FEEDCORE_OK)
    #expect(position == 1)
    #expect(outcome { feedcore_get(reader, "nobody", 6, $0) } == (FEEDCORE_NONE, ""))
    #expect(feedcore_field(reader, 2, &value) == FEEDCORE_NONE)
    #expect(feedcore_reader_position(reader, &position) == FEEDCORE_NONE)
    #expect(feedcore_get(reader, nil, 0, nil) == FEEDCORE_NONE)
  }

  @Test("null, absent and empty are distinguished, and lists are read element by element")
  func states() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    var value = feedcore_value()
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(feedcore_field_named(reader, "state-province", 14, &value) == FEEDCORE_OK)
    #expect(value.is_null == 1)
    #expect(list(reader, "web_pages") == ["http://ege.edu.tr", "http://e.tr"])
    var bytes: UnsafePointer<CChar>?
    var length = 0
    #expect(feedcore_element(reader, 5, 2, &bytes, &length) == FEEDCORE_NONE)
    #expect(feedcore_element(reader, 1, 0, &bytes, &length) == FEEDCORE_NONE)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(list(reader, "domains") == [])
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(feedcore_field_named(reader, "domains", 7, &value) == FEEDCORE_NONE)
    #expect(feedcore_next(reader, nil) == FEEDCORE_NONE)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "name") == "Ege")
  }

  @Test("UUIDs are 16 bytes and dates are seconds; both are keys and fields")
  func fixedTypes() throws {
    let store = try CStore()
    try store.ingest(Documents.comments)
    let reader = try store.reader("comments")
    defer { feedcore_reader_close(reader) }
    let uuid = try #require(UUID(uuidString: "7019D8A7-0B35-4057-B7F9-8C5471961ED0")).uuid
    let key = withUnsafeBytes(of: uuid) { Array($0) }
    #expect(feedcore_get(reader, key, key.count, nil) == FEEDCORE_OK)
    var value = feedcore_value()
    #expect(feedcore_field(reader, 1, &value) == FEEDCORE_OK)
    #expect(value.type == FEEDCORE_UUID)
    #expect(Array(UnsafeRawBufferPointer(start: value.bytes, count: value.length)) == key)
    #expect(feedcore_field_named(reader, "created_at", 10, &value) == FEEDCORE_OK)
    #expect(value.number + FEEDCORE_REFERENCE_EPOCH == 1_589_973_899)
    #expect(text(reader, "author.username") == "a username")
  }

  @Test("the fields of a feed are listed with their names")
  func fieldInfo() throws {
    let store = try CStore()
    try store.ingest(Documents.comments)
    let reader = try store.reader("comments")
    defer { feedcore_reader_close(reader) }
    let names = (0..<feedcore_reader_field_count(reader)).compactMap { index -> String? in
      var field = feedcore_field_info()
      #expect(feedcore_reader_field(reader, index, &field) == FEEDCORE_OK)
      return field.name.map { String(cString: $0) }
    }
    #expect(names == ["id", "message", "created_at", "author.username"])
    var field = feedcore_field_info()
    #expect(feedcore_reader_field(reader, 4, &field) == FEEDCORE_NONE)
    #expect(feedcore_reader_field(reader, -1, &field) == FEEDCORE_NONE)
  }

  @Test("a reader has only the selected fields until the selection changes")
  func select() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(feedcore_reader_select(reader, [2, 5, 99], 3, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == nil)
    #expect(feedcore_reader_field_count(reader) == 2)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "name") == nil)
    #expect(text(reader, "country") == "Turkey")
    #expect(list(reader, "web_pages")?.count == 2)
    #expect(feedcore_get(reader, "São Paulo", 10, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == "Brazil")
    #expect(text(reader, "name") == nil)
    #expect(feedcore_reader_select(reader, nil, 0, nil) == FEEDCORE_OK)
    #expect(feedcore_get(reader, "São Paulo", 10, nil) == FEEDCORE_OK)
    #expect(text(reader, "name") == "São Paulo")
    #expect(outcome { feedcore_reader_select(reader, nil, 1, $0) }.status == FEEDCORE_MISUSE)
    #expect(outcome { feedcore_reader_select(reader, [1], -1, $0) }.status == FEEDCORE_MISUSE)
    #expect(outcome { feedcore_reader_select(reader, [1], 1 << 40, $0) }.status == FEEDCORE_MISUSE)
  }

  @Test(
    "a scan returns all records in order from any position", arguments: [0, 1, 7, 999, 1000, 5000])
  func scan(from start: Int) throws {
    let store = try CStore()
    try store.ingest(Documents.many(1000))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_rewind(reader, UInt64(start), nil) == FEEDCORE_OK)
    var names: [String] = []
    while feedcore_next(reader, nil) == FEEDCORE_OK { names.append(text(reader, "name") ?? "") }
    #expect(names == (min(start, 1000)..<1000).map { "U\($0)" })
    #expect(feedcore_rewind(reader, .max, nil) == FEEDCORE_OK)
    #expect(feedcore_next(reader, nil) == FEEDCORE_NONE)
  }

  @Test("a lookup during a scan does not affect it")
  func getWhileScanning() throws {
    let store = try CStore()
    try store.ingest(Documents.many(100))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    for index in 0..<100 {
      #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
      #expect(text(reader, "name") == "U\(index)")
      let other = "U\(99 - index)"
      #expect(feedcore_get(reader, other, other.utf8.count, nil) == FEEDCORE_OK)
      #expect(text(reader, "name") == other)
    }
    #expect(feedcore_next(reader, nil) == FEEDCORE_NONE)
  }

  @Test("a scan keeps its generation, and a lookup reads the new one")
  func replacedFeed() throws {
    let store = try CStore()
    try store.ingest(Documents.many(2000, note: "old"))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    let generation = try #require(feedcore_reader_feed(reader)).pointee.generation
    try store.ingest(Documents.many(10, note: "new"))
    try store.ingest(Documents.many(10, note: "new"))
    var count = 1
    while feedcore_next(reader, nil) == FEEDCORE_OK {
      if text(reader, "country") == "Cold" { count += 1 }
    }
    #expect(count == 2000)
    #expect(feedcore_reader_feed(reader)?.pointee.generation == generation)
    #expect(feedcore_get(reader, "U3", 2, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == "Cnew")
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "country") == "Cnew")
    #expect(try #require(feedcore_reader_feed(reader)).pointee.generation > generation)
  }

  @Test("a feed of the same name but of another kind is read with its own fields")
  func replacedKind() throws {
    let store = try CStore()
    try store.ingest(Documents.universities, feed: "x")
    let reader = try store.reader("x")
    defer { feedcore_reader_close(reader) }
    try store.ingest(Documents.comments, feed: "x")
    let uuid = try #require(UUID(uuidString: "7019D8A7-0B35-4057-B7F9-8C5471961ED0")).uuid
    let key = withUnsafeBytes(of: uuid) { Array($0) }
    #expect(feedcore_get(reader, key, key.count, nil) == FEEDCORE_OK)
    #expect(text(reader, "message") == "a message")
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "author.username") == "a username")
  }

  @Test("borrowed values are valid until the reader moves, whatever the store does")
  func lentBytes() throws {
    let store = try CStore()
    try store.ingest(Documents.many(300, note: "old"))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_get(reader, "U7", 2, nil) == FEEDCORE_OK)
    var value = feedcore_value()
    #expect(feedcore_field_named(reader, "country", 7, &value) == FEEDCORE_OK)
    for round in 0..<5 { try store.ingest(Documents.many(300, note: "\(round)")) }
    let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.length)
    #expect(String(decoding: bytes, as: UTF8.self) == "Cold")
  }

  @Test("a search visits all records with a value until the visitor stops it")
  func search() throws {
    let store = try CStore()
    try store.ingest(Documents.universities, indexed: "country")
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    let names = Box<[String]>([])
    let context = Unmanaged.passUnretained(names).toOpaque()
    let visit: feedcore_visit = { context, reader in
      guard let context, let reader else { return 1 }
      Unmanaged<Box<[String]>>.fromOpaque(context).takeUnretainedValue().value
        .append(text(reader, "name") ?? "")
      // A visitor must not move the reader.
      return feedcore_next(reader, nil) == FEEDCORE_MISUSE ? 0 : 1
    }
    var count: UInt64 = 0
    #expect(feedcore_find(reader, 2, "Brazil", 6, visit, context, &count, nil) == FEEDCORE_OK)
    #expect(names.value == ["São Paulo", "Ege"])
    #expect(count == 2)
    #expect(feedcore_find(reader, 0, "Ege", 3, { _, _ in 1 }, nil, &count, nil) == FEEDCORE_OK)
    #expect(count == 1)
    #expect(feedcore_find(reader, 0, "none", 4, visit, context, &count, nil) == FEEDCORE_NONE)
    #expect(
      outcome { feedcore_find(reader, 3, "TR", 2, visit, context, nil, $0) }.status
        == FEEDCORE_MISUSE)
    #expect(
      outcome { feedcore_find(reader, 0, "a", 1, nil, nil, nil, $0) }.status == FEEDCORE_MISUSE)
  }

  @Test("a deleted feed is reported as not found")
  func deletedFeed() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(
      feedcore_feed_delete(store.handle, "universities", 12, FEEDCORE_WAIT, nil) == FEEDCORE_OK)
    #expect(feedcore_feed_delete(store.handle, "universities", 12, 0, nil) == FEEDCORE_NONE)
    let (status, message) = outcome { feedcore_get(reader, "Ege", 3, $0) }
    #expect(status == FEEDCORE_NOT_FOUND)
    #expect(message.contains("universities"))
    #expect(outcome { feedcore_next(reader, $0) }.status == FEEDCORE_NOT_FOUND)
  }

  @Test("threads with separate readers read concurrently while the feed is replaced")
  func threads() throws {
    let store = try CStore()
    try store.ingest(Documents.many(500, note: "0"))
    let handle = UInt(bitPattern: store.handle)
    let threads = (0..<4).map { number in
      let box = Box(0)
      let thread = Thread {
        var reader: OpaquePointer?
        feedcore_reader_open(OpaquePointer(bitPattern: handle), "universities", 12, &reader, nil)
        guard let reader else { return }
        for round in 0..<20 {
          var seen: Set<String> = []
          var count = 0
          while feedcore_next(reader, nil) == FEEDCORE_OK {
            seen.insert(text(reader, "country") ?? "")
            count += 1
          }
          let key = "U\((number * 31 + round) % 500)"
          let isFound = feedcore_get(reader, key, key.utf8.count, nil) == FEEDCORE_OK
          if count == 500, seen.count == 1, isFound, text(reader, "name") == key { box.value += 1 }
        }
        feedcore_reader_close(reader)
        box.isDone.signal()
      }
      thread.start()
      return box
    }
    for round in 1..<10 { try store.ingest(Documents.many(500, note: "\(round)")) }
    for box in threads {
      box.isDone.wait()
      #expect(box.value == 20)
    }
  }

  @Test("a reader refuses concurrent use by two threads")
  func sharedReader() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    let box = Box((reader: reader, status: FEEDCORE_OK, close: FEEDCORE_OK))
    let visit: feedcore_visit = { context, _ in
      guard let context else { return 1 }
      let box = Unmanaged<
        Box<(reader: OpaquePointer, status: feedcore_status, close: feedcore_status)>
      >
      .fromOpaque(context).takeUnretainedValue()
      let thread = Thread {
        box.value.status = feedcore_get(box.value.reader, "Ege", 3, nil)
        box.value.close = feedcore_reader_close(box.value.reader)
        box.isDone.signal()
      }
      thread.start()
      box.isDone.wait()
      return 1
    }
    let context = Unmanaged.passUnretained(box).toOpaque()
    #expect(feedcore_find(reader, 0, "Ege", 3, visit, context, nil, nil) == FEEDCORE_OK)
    #expect(box.value.status == FEEDCORE_MISUSE)
    #expect(box.value.close == FEEDCORE_MISUSE)
    #expect(feedcore_get(reader, "Ege", 3, nil) == FEEDCORE_OK)
  }
}

/// A value that a C callback can access, and a semaphore for the end of a thread.
///
/// `@unchecked Sendable`: one thread at a time uses the value, handed over by the semaphore.
final class Box<Value>: @unchecked Sendable {
  var value: Value
  let isDone = DispatchSemaphore(value: 0)
  init(_ value: Value) { self.value = value }
}
