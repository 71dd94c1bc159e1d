import CFeedCore
import FeedCoreC
import FeedStorage
import TestSupport
import Testing

/// A feed whose schema a program in Swift has defined.
@Suite("A feed of a schema that is not built into the C library")
struct SchemaTests {
  private let store: CStore

  init() throws {
    store = try CStore()
    try Readings.publish(in: FeedDatabase.open(at: store.directory.path))
  }

  @Test("has its schema in the list of feeds, as terminated text")
  func schema() throws {
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_find(store.handle, "readings", 8, &feeds, nil) == FEEDCORE_OK)
    defer { feedcore_feeds_free(feeds) }
    var text: UnsafePointer<CChar>?
    var length = 0
    #expect(feedcore_feed_schema(feeds, 0, &text, &length) == FEEDCORE_OK)
    #expect(try String(cString: #require(text)) == Readings.text)
    #expect(length == Readings.text.utf8.count)
    #expect(feedcore_feed_schema(feeds, 1, &text, &length) == FEEDCORE_NONE)
    #expect(text == nil && length == 0)
    #expect(feedcore_feed_schema(feeds, 0, nil, &length) == FEEDCORE_MISUSE)
    #expect(feedcore_feed_schema(nil, 0, &text, &length) == FEEDCORE_BAD_HANDLE)
  }

  @Test("is read by the names of its fields, found by its index and looked up by its key")
  func reader() throws {
    let reader = try store.reader("readings")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(text(reader, "sensor.id") == "s-1")
    #expect(text(reader, "sensor.place.city") == "Porto")
    #expect(list(reader, "tags") == ["roof", "north"])
    var count = feedcore_value()
    #expect(feedcore_field_named(reader, "count", 5, &count) == FEEDCORE_OK)
    #expect(count.integer == 42 && count.type == UInt8(FEEDCORE_INTEGER))
    #expect(feedcore_get(reader, "s-2", 3, nil) == FEEDCORE_OK)
    #expect(text(reader, "sensor.place.city") == nil)
    var found: UInt64 = 0
    let visit: feedcore_visit = { _, _ in 0 }
    #expect(feedcore_find(reader, 5, "north", 5, visit, nil, &found, nil) == FEEDCORE_OK)
    #expect(found == 1)
    let names = (0..<feedcore_reader_field_count(reader)).compactMap { index -> String? in
      var field = feedcore_field_info()
      #expect(feedcore_reader_field(reader, index, &field) == FEEDCORE_OK)
      return field.name.map { String(cString: $0) }
    }
    #expect(names == ["sensor.id", "sensor.place.city", "at", "count", "tags"])
  }
}
