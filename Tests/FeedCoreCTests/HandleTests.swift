import CFeedCore
import FeedCoreC
import TestSupport
import Testing

@Suite("Handles of C")
struct HandleTests {
  @Test("the library has the ABI of its header")
  func versions() {
    #expect(feedcore_abi_version() == FEEDCORE_ABI_VERSION)
    #expect(feedcore_version().map { String(cString: $0) } == FEEDCORE_VERSION)
  }

  @Test("every status has a different text, and an unknown one has a text too")
  func statusTexts() {
    let texts = (0...22).compactMap { feedcore_status_text(feedcore_status($0)) }
      .map { String(cString: $0) }
    #expect(Set(texts).count == 23)
    #expect(!texts.contains("unknown status"))
    let unknown = feedcore_status_text(feedcore_status(9999)).map { String(cString: $0) }
    #expect(unknown == "unknown status")
  }

  /// Calls each function with a handle that it must not take; `expected` where it returns a status.
  private func expectRefusal(
    _ handle: OpaquePointer?, expected: feedcore_status = FEEDCORE_BAD_HANDLE,
    _ note: Comment
  ) {
    var out: OpaquePointer? = OpaquePointer(bitPattern: 7)
    var value = feedcore_value()
    var position = feedcore_position()
    var readerPosition: UInt64 = 7
    var field = feedcore_field_info()
    var bytes: UnsafePointer<CChar>?
    var length = 7
    var validation = FEEDCORE_FEED_VALID
    let calls: [(UnsafeMutablePointer<OpaquePointer?>) -> feedcore_status] = [
      { feedcore_feeds_list(handle, &out, $0) },
      { feedcore_feeds_find(handle, "a", 1, &out, $0) },
      { feedcore_feed_delete(handle, "a", 1, 0, $0) },
      { feedcore_feed_validate(handle, "a", 1, 60, &validation, $0) },
      { feedcore_reader_open(handle, "a", 1, &out, $0) },
      { feedcore_reader_select(handle, nil, 0, $0) },
      { feedcore_get(handle, "a", 1, $0) },
      { feedcore_next(handle, $0) },
      { feedcore_rewind(handle, 0, $0) },
      { feedcore_find(handle, 0, "a", 1, { _, _ in 0 }, nil, &readerPosition, $0) },
      { feedcore_ingest_fd(handle, 0, nil, nil, $0) },
      { feedcore_ingest_begin(handle, nil, &out, $0) },
      { feedcore_ingest_push(handle, "a", 1, $0) },
      { feedcore_ingest_finish(handle, nil, $0) },
      { feedcore_image_lend(handle, "a", 1, { _, _, _, _, _ in 0 }, nil, $0) },
      { feedcore_image_copy(handle, "a", 1, nil, 0, &length, $0) },
      { feedcore_image_insert(handle, "a", 1, "b", 1, nil, 0, .infinity, $0) },
      { feedcore_image_remove(handle, "a", 1, $0) },
    ]
    for (index, call) in calls.enumerated() {
      let (status, message) = outcome(call)
      #expect(status == expected, "call \(index), \(note)")
      #expect(message.contains("handle"), "call \(index), \(note)")
    }
    #expect(feedcore_error_status(handle) == expected, note)
    #expect(feedcore_error_position(handle, &position) == expected, note)
    #expect(feedcore_reader_field(handle, 0, &field) == expected, note)
    #expect(feedcore_reader_position(handle, &readerPosition) == expected, note)
    #expect(feedcore_field(handle, 1, &value) == expected, note)
    #expect(feedcore_field_named(handle, "a", 1, &value) == expected, note)
    #expect(feedcore_element(handle, 1, 0, &bytes, &length) == expected, note)
    #expect(feedcore_error_message(handle, &length).map { String(cString: $0) } == "", note)
    #expect(feedcore_feeds_count(handle) == 0, note)
    #expect(feedcore_feeds_at(handle, 0) == nil, note)
    #expect(feedcore_reader_feed(handle) == nil, note)
    #expect(feedcore_reader_field_count(handle) == 0, note)
  }

  @Test("NULL is not a handle, but closing it succeeds")
  func null() {
    expectRefusal(nil, "NULL")
    #expect(feedcore_store_close(nil) == FEEDCORE_OK)
    #expect(feedcore_feeds_free(nil) == FEEDCORE_OK)
    #expect(feedcore_reader_close(nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_cancel(nil) == FEEDCORE_OK)
    #expect(feedcore_images_close(nil) == FEEDCORE_OK)
    #expect(feedcore_error_free(nil) == FEEDCORE_OK)
  }

  @Test("numbers that were never returned are not handles")
  func garbage() {
    // None of these words is that of a slot that concurrent tests use.
    for word in [1, 4096, 65_536, 1 << 50 | 1, 1 << 40, -1, Int.min, Int.max, 0x7fff_ffff_f000] {
      expectRefusal(OpaquePointer(bitPattern: word), "\(word)")
      #expect(feedcore_store_close(OpaquePointer(bitPattern: word)) == FEEDCORE_BAD_HANDLE)
    }
  }

  @Test("a closed handle is invalid, also after its slot is reused")
  func closed() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    #expect(feedcore_reader_close(reader) == FEEDCORE_OK)
    expectRefusal(reader, "closed")
    #expect(feedcore_reader_close(reader) == FEEDCORE_BAD_HANDLE)
    let next = try store.reader("universities")
    defer { feedcore_reader_close(next) }
    #expect(next != reader)
    expectRefusal(reader, "closed, and another one was opened")
  }

  @Test("a handle of another kind is refused, and stays open")
  func otherKind() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    #expect(feedcore_reader_close(store.handle) == FEEDCORE_BAD_HANDLE)
    #expect(feedcore_error_free(store.handle) == FEEDCORE_BAD_HANDLE)
    #expect(outcome { feedcore_next(store.handle, $0) }.status == FEEDCORE_BAD_HANDLE)
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_list(store.handle, &feeds, nil) == FEEDCORE_OK)
    expectRefusalOfList(feeds)
    #expect(feedcore_feeds_count(feeds) == 1)
    #expect(feedcore_feeds_free(feeds) == FEEDCORE_OK)
  }

  private func expectRefusalOfList(_ feeds: OpaquePointer?) {
    var value = feedcore_value()
    #expect(feedcore_field(feeds, 1, &value) == FEEDCORE_BAD_HANDLE)
    #expect(feedcore_store_close(feeds) == FEEDCORE_BAD_HANDLE)
  }

  @Test("handles may be closed in any order")
  func anyOrder() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let first = try CStore()
    try first.ingest(Documents.universities)
    let store = try CStore.open(first.directory.path, FEEDCORE_READ_WRITE)
    var reader: OpaquePointer?
    var ingest: OpaquePointer?
    var feeds: OpaquePointer?
    #expect(feedcore_reader_open(store, "universities", 12, &reader, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_begin(store, nil, &ingest, nil) == FEEDCORE_OK)
    #expect(feedcore_feeds_list(store, &feeds, nil) == FEEDCORE_OK)
    #expect(feedcore_store_close(store) == FEEDCORE_OK)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(try text(#require(reader), "name") == "Ege")
    let bytes = Documents.comments
    #expect(feedcore_ingest_push(ingest, bytes, bytes.utf8.count, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_finish(ingest, nil, nil) == FEEDCORE_OK)
    #expect(feedcore_feeds_count(feeds) == 1)
    #expect(feedcore_feeds_free(feeds) == FEEDCORE_OK)
    #expect(feedcore_reader_close(reader) == FEEDCORE_OK)
    withExtendedLifetime(directory) {}
  }

  @Test("an error may be ignored: NULL for it is allowed everywhere")
  func ignoredErrors() {
    var store: OpaquePointer?
    #expect(feedcore_store_open("/nowhere/at/all", 15, 0, &store, nil) == FEEDCORE_NOT_FOUND)
    #expect(store == nil)
    #expect(feedcore_get(nil, nil, 0, nil) == FEEDCORE_BAD_HANDLE)
  }

  @Test("a handle beyond the maximum is refused, and no open handle is lost")
  func tooMany() async {
    // In a separate process: concurrent tests would be refused their handles.
    await #expect(processExitsWith: .success) { try Self.openTooMany() }
  }

  private static func openTooMany() throws {
    InheritedSockets.close()
    let store = try CStore()
    var lists: [OpaquePointer] = []
    var status = FEEDCORE_OK
    while lists.count < 70_000 {
      var feeds: OpaquePointer?
      status = feedcore_feeds_list(store.handle, &feeds, nil)
      guard let feeds else { break }
      lists.append(feeds)
    }
    #expect(status == FEEDCORE_NO_MEMORY)
    #expect(lists.count > 60_000)
    expectReservedErrors(store.handle)
    for feeds in lists { feedcore_feeds_free(feeds) }
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_list(store.handle, &feeds, nil) == FEEDCORE_OK)
    #expect(feedcore_feeds_free(feeds) == FEEDCORE_OK)
  }

  /// If no handle is left, a failure still has an error with its status; freeing it is optional.
  private static func expectReservedErrors(_ store: OpaquePointer) {
    var (full, bad, feeds) = (OpaquePointer?.none, OpaquePointer?.none, OpaquePointer?.none)
    #expect(feedcore_feeds_list(store, &feeds, &full) == FEEDCORE_NO_MEMORY)
    #expect(feedcore_next(nil, &bad) == FEEDCORE_BAD_HANDLE)
    #expect(feedcore_error_status(full) == FEEDCORE_NO_MEMORY)
    #expect(feedcore_error_status(bad) == FEEDCORE_BAD_HANDLE)
    var position = feedcore_position()
    #expect(feedcore_error_position(bad, &position) == FEEDCORE_NONE)
    for _ in 0..<2 {
      #expect(take(full).contains("too many handles"))
      #expect(take(bad).contains("bad handle"))
    }
    #expect(outcome { feedcore_next(nil, $0) }.status == FEEDCORE_BAD_HANDLE)
    #expect(feedcore_store_close(bad) == FEEDCORE_BAD_HANDLE)
  }
}
