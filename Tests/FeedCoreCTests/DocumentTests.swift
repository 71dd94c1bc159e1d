import CFeedCore
import FeedCoreC
import FeedStorage
import TestSupport
import Testing

@Suite("Document feeds in C")
struct DocumentTests {
  private let store: CStore

  init() throws {
    store = try CStore()
    try OddDocuments.publish(in: FeedDatabase.open(at: store.directory.path))
  }

  private func get(_ reader: OpaquePointer, _ key: String) -> feedcore_status {
    feedcore_get(reader, key, key.utf8.count, nil)
  }

  private func recordText(_ reader: OpaquePointer) -> String? {
    var bytes: UnsafePointer<CChar>?
    var length = 0
    guard feedcore_reader_text(reader, &bytes, &length) == FEEDCORE_OK else { return nil }
    return String(
      decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  private func value(_ reader: OpaquePointer, _ pointer: String) -> (feedcore_status, String) {
    var value = feedcore_value()
    let status = feedcore_reader_value(reader, pointer, pointer.utf8.count, &value)
    if status == FEEDCORE_OK {
      #expect(value.type == UInt8(FEEDCORE_JSON) && value.id == 0)
    } else {
      #expect(value.type == 0 && value.bytes == nil)
    }
    let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.length)
    #expect((value.is_null == 1) == bytes.elementsEqual("null".utf8))
    return (status, String(decoding: bytes, as: UTF8.self))
  }

  @Test("a record is read by any key, and has its text")
  func get() throws {
    for (name, keys, texts) in [
      ("odd", OddDocuments.keys, OddDocuments.keyed),
      ("numbers", OddDocuments.numberKeys, OddDocuments.numbers),
      ("large", ["last", "wide"], OddDocuments.large),
    ] {
      let reader = try store.reader(name)
      defer { feedcore_reader_close(reader) }
      for (key, text) in zip(keys, texts) {
        #expect(get(reader, key) == FEEDCORE_OK, "\(key)")
        let isEqual = recordText(reader) == text
        #expect(isEqual, "\(key)")
      }
      #expect(get(reader, "none") == FEEDCORE_NONE)
      #expect(recordText(reader) == nil)
    }
  }

  @Test("a composed key has its parts joined by 0x1F, and a record without a key its position")
  func otherKeys() throws {
    let composed = try store.reader("composed")
    defer { feedcore_reader_close(composed) }
    #expect(get(composed, "a\u{1F}2") == FEEDCORE_OK)
    #expect(recordText(composed) == #"{"k":"a","n":2.0,"x":30}"#)
    #expect(get(composed, "a") == FEEDCORE_NONE)
    let scalars = try store.reader("scalars")
    defer { feedcore_reader_close(scalars) }
    #expect(get(scalars, "#1") == FEEDCORE_OK)
    #expect(recordText(scalars) == #""two""#)
    #expect(get(scalars, "#6") == FEEDCORE_NONE)
  }

  @Test("a record of any feed is read by its position")
  func position() throws {
    try store.ingest(Documents.universities)
    for (name, position, text) in [
      ("keyless", 2, OddDocuments.keyless[2]), ("scalars", 5, #""<b>""#),
      (
        "universities", 2,
        #"{"name":"Ege","web_pages":["x"],"country":"Brazil","alpha_two_code":"BR"}"#
      ),
    ] {
      let reader = try store.reader(name)
      defer { feedcore_reader_close(reader) }
      #expect(feedcore_get_at(reader, UInt64(position), nil) == FEEDCORE_OK)
      #expect(recordText(reader) == text)
      var found: UInt64 = 0
      #expect(feedcore_reader_position(reader, &found) == FEEDCORE_OK && found == position)
      for position in [6, 1 << 40, UInt64.max] {
        #expect(feedcore_get_at(reader, position, nil) == FEEDCORE_NONE)
        #expect(recordText(reader) == nil)
      }
    }
    #expect(feedcore_get_at(nil, 0, nil) == FEEDCORE_BAD_HANDLE)
  }

  @Test("a value is read by its JSON Pointer, from records of every form")
  func values() throws {
    try store.ingest(Documents.universities)
    let reader = try store.reader("numbers")
    defer { feedcore_reader_close(reader) }
    #expect(value(reader, "/id") == (FEEDCORE_NONE, ""))
    #expect(get(reader, "42") == FEEDCORE_OK)
    #expect(value(reader, "/v/1/deep") == (FEEDCORE_OK, #"{"er":true}"#))
    #expect(value(reader, "") == (FEEDCORE_OK, OddDocuments.numbers[0]))
    #expect(value(reader, "/v/2") == (FEEDCORE_NONE, ""))
    #expect(value(reader, "v") == (FEEDCORE_MISUSE, ""))
    #expect(feedcore_reader_value(reader, "/v", 2, nil) == FEEDCORE_MISUSE)
    let universities = try store.reader("universities")
    defer { feedcore_reader_close(universities) }
    #expect(feedcore_next(universities, nil) == FEEDCORE_OK)
    #expect(value(universities, "/web_pages/1") == (FEEDCORE_OK, #""http://e.tr""#))
    #expect(value(universities, "/state-province") == (FEEDCORE_OK, "null"))
    #expect(feedcore_next(universities, nil) == FEEDCORE_OK)
    #expect(value(universities, "/name") == (FEEDCORE_OK, #""São Paulo""#))
  }

  @Test("the fields of a document are its spans and its text")
  func fields() throws {
    let reader = try store.reader("keyless")
    defer { feedcore_reader_close(reader) }
    var fields: [(UInt16, UInt8, String?)] = []
    for index in 0..<feedcore_reader_field_count(reader) {
      var field = feedcore_field_info()
      #expect(feedcore_reader_field(reader, index, &field) == FEEDCORE_OK)
      fields.append((field.id, field.type, field.name.map { String(cString: $0) }))
    }
    #expect(fields.map(\.0) == [1, 65_535])
    #expect(fields.map(\.1) == [UInt8(FEEDCORE_SPAN), UInt8(FEEDCORE_JSON)])
    #expect(fields.map(\.2) == ["id", ""])
    // A text, null, an absent value, and an array, which has no span.
    for (status, type, isNull, text) in [
      (FEEDCORE_OK, FEEDCORE_SPAN, UInt8(0), "a"), (FEEDCORE_OK, FEEDCORE_SPAN, 1, ""),
      (FEEDCORE_NONE, 0, 0, ""), (FEEDCORE_OK, FEEDCORE_JSON, 0, "[1]"),
    ] {
      #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
      var value = feedcore_value()
      #expect(feedcore_field_named(reader, "id", 2, &value) == status)
      #expect(value.type == UInt8(type) && value.is_null == isNull)
      let bytes = UnsafeRawBufferPointer(start: value.bytes, count: value.length)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
      #expect(feedcore_field(reader, 65_535, &value) == FEEDCORE_OK)
      #expect(value.type == UInt8(FEEDCORE_JSON))
    }
  }

  @Test("documents are ingested with a kind, a key, and options of an earlier version")
  func ingest() throws {
    func ingest(
      _ kind: String, key: String, size: Int = MemoryLayout<feedcore_ingest_options>.size
    ) -> (feedcore_status, String) {
      var ingest: OpaquePointer?
      var error: OpaquePointer?
      let status = kind.withCString { kind in
        key.withCString { key in
          var options = feedcore_ingest_options.initial
          options.size = size
          (options.feed, options.feed_length) = (kind, 4)
          (options.kind, options.kind_length) = (kind, 4)
          (options.key, options.key_length) = (key, key.utf8Length)
          return "json".withCString { kind in
            (options.kind, options.kind_length) = (kind, 4)
            return feedcore_ingest_begin(store.handle, &options, &ingest, &error)
          }
        }
      }
      guard status == FEEDCORE_OK else { return (status, take(error)) }
      let text = #"[{"a":"x","b":{"c":1}},{"a":"x","b":{"c":2}}]"#
      #expect(feedcore_ingest_push(ingest, text, text.utf8.count, &error) == FEEDCORE_OK)
      return (feedcore_ingest_finish(ingest, nil, &error), take(error))
    }
    #expect(ingest("mine", key: "a,b.c") == (FEEDCORE_OK, ""))
    let reader = try store.reader("mine")
    defer { feedcore_reader_close(reader) }
    #expect(get(reader, "x\u{1F}2") == FEEDCORE_OK)
    #expect(recordText(reader) == #"{"a":"x","b":{"c":2}}"#)
    #expect(ingest("mine", key: #"a,"b"."c""#) == (FEEDCORE_OK, ""))
    // Members after the size are not read.
    let first = try #require(MemoryLayout<feedcore_ingest_options>.offset(of: \.records))
    #expect(ingest("mine", key: "a,b.c", size: first) == (FEEDCORE_OK, ""))
    #expect(get(reader, "#1") == FEEDCORE_OK)
    #expect(recordText(reader) == #"{"a":"x","b":{"c":2}}"#)
    #expect(ingest("mine", key: "", size: first - 1).0 == FEEDCORE_MISUSE)
  }
}

extension UnsafePointer<CChar> {
  /// The number of bytes before the terminating zero.
  fileprivate var utf8Length: Int {
    var length = 0
    while self[length] != 0 { length += 1 }
    return length
  }
}
