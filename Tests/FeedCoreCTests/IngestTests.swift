import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

@Suite("Ingesting from C")
struct IngestTests {
  @Test("bytes pushed in chunks of any size become a feed", arguments: [1, 2, 13, 100])
  func push(chunks: Int) throws {
    let store = try CStore()
    let (report, status, _) = try store.push(Documents.universities, chunks: chunks)
    #expect(status == FEEDCORE_OK)
    #expect(report.records == 3)
    #expect(report.feed_records == 3)
    #expect(report.bytes == Documents.universities.utf8.count)
    #expect(
      withUnsafeBytes(of: report.feed) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        == "universities")
  }

  @Test("a fault is reported with offset, line, column, record, pointer and reason")
  func position() throws {
    let store = try CStore()
    var ingest: OpaquePointer?
    var error: OpaquePointer?
    #expect(store.begin(kind: "universities", &ingest) == FEEDCORE_OK)
    let document =
      "[{\"name\": \"A\", \"country\": \"B\",\n\"alpha_two_code\": \"C\", \"web_pages\": [\"x\", 7]}]"
    var status = feedcore_ingest_push(ingest, document, document.utf8.count, nil)
    status = feedcore_ingest_finish(ingest, nil, &error)
    #expect(status == FEEDCORE_PAYLOAD)
    defer { feedcore_error_free(error) }
    var position = feedcore_position()
    #expect(feedcore_error_position(error, &position) == FEEDCORE_OK)
    #expect(position.offset == 73)
    #expect(position.line == 2)
    #expect(position.column == 43)
    #expect(position.record == 1)
    #expect(position.pointer.map { String(cString: $0) } == "/0/web_pages/1")
    #expect(position.pointer_length == 14)
    #expect(
      position.reason.map { String(cString: $0) }
        == "web_pages: expected a list of strings, found a number")
    #expect(
      feedcore_error_message(error, nil).map { String(cString: $0) }?.contains("C:2:43") == true)
    #expect(feedcore_error_position(error, nil) == FEEDCORE_MISUSE)
  }

  @Test("an error of the store has no position")
  func noPosition() {
    var store: OpaquePointer?
    var error: OpaquePointer?
    #expect(feedcore_store_open("/nowhere", 8, 0, &store, &error) == FEEDCORE_NOT_FOUND)
    var position = feedcore_position()
    #expect(feedcore_error_position(error, &position) == FEEDCORE_NONE)
    #expect(position.pointer == nil)
    #expect(take(error).contains("/nowhere"))
  }

  @Test("an incomplete or cancelled document publishes nothing")
  func unfinished() throws {
    let store = try CStore()
    try store.ingest(Documents.many(5))
    let (_, status, message) = try store.push(#"[{"name": "A""#)
    #expect(status == FEEDCORE_PAYLOAD)
    #expect(!message.isEmpty)
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, nil, &ingest, nil) == FEEDCORE_OK)
    let document = Documents.universities
    #expect(feedcore_ingest_push(ingest, document, document.utf8.count, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_cancel(ingest) == FEEDCORE_OK)
    #expect(feedcore_ingest_cancel(ingest) == FEEDCORE_BAD_HANDLE)
    #expect(store.recordCount(of: "universities") == 5)
    #expect(try store.ingest(Documents.universities).generation > 1)
  }

  @Test("after a fault each push and the finish return the same error")
  func faultStays() throws {
    let store = try CStore()
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, nil, &ingest, nil) == FEEDCORE_OK)
    // Pushed bytes may be buffered until there are enough of them.
    let document = "[" + String(repeating: " ", count: 3 << 20) + "}"
    _ = feedcore_ingest_push(ingest, document, document.utf8.count, nil)
    _ = feedcore_ingest_push(ingest, document, document.utf8.count, nil)
    #expect(feedcore_ingest_push(ingest, "]", 1, nil) == FEEDCORE_PAYLOAD)
    #expect(feedcore_ingest_finish(ingest, nil, nil) == FEEDCORE_PAYLOAD)
    #expect(feedcore_ingest_push(ingest, "]", 1, nil) == FEEDCORE_BAD_HANDLE)
  }

  @Test("an invalid push ends the ingest")
  func misuseStays() throws {
    let store = try CStore()
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, nil, &ingest, nil) == FEEDCORE_OK)
    let document = Documents.universities
    #expect(feedcore_ingest_push(ingest, document, document.utf8.count, nil) == FEEDCORE_OK)
    #expect(outcome { feedcore_ingest_push(ingest, nil, 7, $0) }.status == FEEDCORE_MISUSE)
    let (status, message) = outcome { feedcore_ingest_push(ingest, " ", 1, $0) }
    #expect(status == FEEDCORE_MISUSE)
    #expect(message.contains("NULL"))
    #expect(outcome { feedcore_ingest_finish(ingest, nil, $0) } == (FEEDCORE_MISUSE, message))
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_find(store.handle, "universities", 12, &feeds, nil) == FEEDCORE_NONE)
  }

  @Test("a message is one line, whatever the name of the input")
  func oneLine() throws {
    let store = try CStore()
    let messages = try "a\nb\u{1B}[31m\u{2028}c".withCString { name in
      var options = feedcore_ingest_options.initial
      (options.origin, options.origin_length) = (name, strlen(name))
      var ingest: OpaquePointer?
      try #require(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
      _ = feedcore_ingest_push(ingest, "[01", 3, nil)
      var other: OpaquePointer?
      return [
        outcome { feedcore_ingest_finish(ingest, nil, $0) }.message,
        outcome { feedcore_store_open("/none\nhere\u{1B}[2J", 14, 0, &other, $0) }.message,
      ]
    }
    #expect(messages[0].contains(#"a\nb\u001B[31m\u2028c:1:"#))
    #expect(messages[1].contains(#"/none\nhere\u001B[2J"#))
    for message in messages {
      #expect(!message.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{2028}" })
    }
  }

  @Test("conditions, appending and waiting follow the options")
  func options() throws {
    let store = try CStore()
    let first = try store.ingest(Documents.many(5), flags: FEEDCORE_IF_ABSENT)
    #expect(
      try store.push(Documents.many(5), flags: FEEDCORE_IF_ABSENT).status == FEEDCORE_CONFLICT)
    #expect(
      try store.push(
        Documents.many(9), flags: FEEDCORE_IF_GENERATION, generation: first.generation + 1
      )
      .status == FEEDCORE_CONFLICT)
    let both = FEEDCORE_IF_ABSENT | FEEDCORE_IF_GENERATION
    #expect(try store.push(Documents.many(9), flags: both).status == FEEDCORE_MISUSE)
    let second = try store.push(
      Documents.many(9), flags: FEEDCORE_APPEND | FEEDCORE_IF_GENERATION,
      generation: first.generation)
    #expect(second.status == FEEDCORE_OK)
    #expect(second.report.records == 4)
    #expect(second.report.feed_records == 9)
    #expect(
      try store.push(Documents.comments, feed: "universities", flags: FEEDCORE_APPEND).status
        == FEEDCORE_PAYLOAD)
    #expect(try store.push(Documents.many(1), flags: 1 << 20).status == FEEDCORE_MISUSE)
    #expect(try store.push(Documents.many(1), feed: "no/name").status == FEEDCORE_INVALID_NAME)
    #expect(try store.push(Documents.many(1), indexed: "nothing").status == FEEDCORE_MISUSE)
  }

  @Test("a feed that is being ingested is busy")
  func busy() throws {
    let store = try CStore()
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, nil, &ingest, nil) == FEEDCORE_OK)
    // There are enough records for the ingest to open the store.
    let document = Documents.many(40_000)
    #expect(feedcore_ingest_push(ingest, document, document.utf8.count, nil) == FEEDCORE_OK)
    let (status, message) = outcome { error in
      feedcore_feed_delete(store.handle, "universities", 12, 0, error)
    }
    #expect(status == FEEDCORE_BUSY)
    #expect(message.contains("universities"))
    #expect(feedcore_ingest_finish(ingest, nil, nil) == FEEDCORE_OK)
    #expect(feedcore_feed_delete(store.handle, "universities", 12, 0, nil) == FEEDCORE_OK)
  }

  @Test("bad records are skipped up to the allowed number")
  func rejects() throws {
    let store = try CStore()
    let document =
      #"[{"name": "B", "country": "C", "alpha_two_code": "D", "web_pages": []}, {"name": "A"}]"#
    var options = feedcore_ingest_options.initial
    for allowed in [0, 1] {
      options.allowed_rejects = UInt64(allowed)
      var ingest: OpaquePointer?
      #expect(store.begin(kind: "universities", &ingest, options) == FEEDCORE_OK)
      _ = feedcore_ingest_push(ingest, document, document.utf8.count, nil)
      var report = feedcore_report()
      let status = feedcore_ingest_finish(ingest, &report, nil)
      #expect(status == (allowed == 0 ? FEEDCORE_PAYLOAD : FEEDCORE_OK))
      #expect(report.rejected == allowed)
    }
  }

  @Test("options with a wrong size, an unknown kind or an invalid time are refused")
  func badOptions() throws {
    let store = try CStore()
    var ingest: OpaquePointer?
    var options = feedcore_ingest_options()
    let begin = { (error: UnsafeMutablePointer<OpaquePointer?>) in
      feedcore_ingest_begin(store.handle, &options, &ingest, error)
    }
    #expect(outcome(begin).status == FEEDCORE_MISUSE)
    let origin: [CChar] = [0x61, 0, 0x62]
    origin.withUnsafeBufferPointer { origin in
      options = .initial
      (options.origin, options.origin_length) = (origin.baseAddress, 3)
      #expect(outcome(begin).message.contains("zero"))
    }
    options = feedcore_ingest_options()
    options.size = 8
    #expect(outcome(begin).status == FEEDCORE_MISUSE)
    options.size = -1
    #expect(outcome(begin).status == FEEDCORE_MISUSE)
    options = .initial
    options.flags = FEEDCORE_TIMED
    options.reference_seconds = .nan
    #expect(outcome(begin).status == FEEDCORE_MISUSE)
    options = .initial
    options.kind_length = 3
    #expect(outcome(begin).status == FEEDCORE_MISUSE)
    options = .initial
    "cars".withCString { kind in
      options.kind = kind
      options.kind_length = 4
      #expect(outcome(begin).status == FEEDCORE_INVALID_KIND)
    }
    #expect(ingest == nil)
    #expect(outcome { feedcore_ingest_begin(store.handle, nil, nil, $0) }.status == FEEDCORE_MISUSE)
  }

  @Test("a progress callback can cancel, and nothing is published")
  func cancelledByCallback() throws {
    let store = try CStore()
    let calls = Box<[UInt64]>([])
    var options = feedcore_ingest_options.initial
    options.context = Unmanaged.passUnretained(calls).toOpaque()
    options.progress = { context, progress in
      guard let context, let progress else { return 1 }
      let calls = Unmanaged<Box<[UInt64]>>.fromOpaque(context).takeUnretainedValue()
      calls.value.append(progress.pointee.input_bytes)
      return calls.value.count < 3 ? 0 : 1
    }
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_push(ingest, "[", 1, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_push(ingest, " ", 1, nil) == FEEDCORE_OK)
    #expect(outcome { feedcore_ingest_push(ingest, "]", 1, $0) }.status == FEEDCORE_CANCELLED)
    #expect(outcome { feedcore_ingest_finish(ingest, nil, $0) }.status == FEEDCORE_CANCELLED)
    #expect(calls.value == [1, 2, 3])
  }

  @Test(
    "a callback can neither wait for a feed nor use the ingest that calls it")
  func callbackWaits() throws {
    let store = try CStore()
    let seen = Box(
      (store: store.handle, ingest: OpaquePointer(bitPattern: 0), statuses: [feedcore_status]()))
    typealias Seen = Box<
      (store: OpaquePointer, ingest: OpaquePointer?, statuses: [feedcore_status])
    >
    var options = feedcore_ingest_options.initial
    options.context = Unmanaged.passUnretained(seen).toOpaque()
    options.progress = { context, _ in
      guard let context else { return 1 }
      let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
      seen.value.statuses += [
        feedcore_feed_delete(seen.value.store, "x", 1, FEEDCORE_WAIT, nil),
        feedcore_feed_delete(seen.value.store, "x", 1, 0, nil),
        feedcore_ingest_push(seen.value.ingest, "]", 1, nil),
        feedcore_ingest_cancel(seen.value.ingest),
      ]
      return 0
    }
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    seen.value.ingest = ingest
    #expect(feedcore_ingest_push(ingest, "[", 1, nil) == FEEDCORE_OK)
    #expect(
      seen.value.statuses == [FEEDCORE_MISUSE, FEEDCORE_NONE, FEEDCORE_MISUSE, FEEDCORE_MISUSE])
    #expect(feedcore_ingest_cancel(ingest) == FEEDCORE_OK)
  }

  @Test("a store that was opened for reading is not changed")
  func readOnly() throws {
    let writer = try CStore()
    try writer.ingest(Documents.universities)
    let reader = try CStore.open(writer.directory.path, 0)
    defer { feedcore_store_close(reader) }
    var ingest: OpaquePointer?
    var validation = FEEDCORE_FEED_VALID
    #expect(
      outcome { feedcore_ingest_begin(reader, nil, &ingest, $0) }.status == FEEDCORE_READ_ONLY)
    #expect(outcome { feedcore_ingest_fd(reader, 0, nil, nil, $0) }.status == FEEDCORE_READ_ONLY)
    #expect(
      outcome { feedcore_feed_delete(reader, "universities", 12, 0, $0) }.status
        == FEEDCORE_READ_ONLY)
    #expect(
      outcome { feedcore_feed_validate(reader, "universities", 12, 60, &validation, $0) }
        .status
        == FEEDCORE_READ_ONLY)
    #expect(writer.recordCount(of: "universities") == 3)
  }

  @Test("a validation deletes an expired feed")
  func validate() throws {
    let store = try CStore()
    var options = feedcore_ingest_options.initial
    options.flags = FEEDCORE_TIMED
    options.reference_seconds = 1000
    var ingest: OpaquePointer?
    #expect(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    let document = Documents.universities
    #expect(feedcore_ingest_push(ingest, document, document.utf8.count, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_finish(ingest, nil, nil) == FEEDCORE_OK)
    var found = FEEDCORE_FEED_ABSENT
    let validate = { (maximumAge: Double) in
      feedcore_feed_validate(store.handle, "universities", 12, maximumAge, &found, nil)
    }
    #expect(validate(.infinity) == FEEDCORE_OK)
    #expect(found == FEEDCORE_FEED_VALID)
    #expect(validate(.nan) == FEEDCORE_MISUSE)
    #expect(validate(-1) == FEEDCORE_MISUSE)
    #expect(validate(7 * 86_400) == FEEDCORE_OK)
    #expect(found == FEEDCORE_FEED_EXPIRED)
    #expect(validate(7 * 86_400) == FEEDCORE_OK)
    #expect(found == FEEDCORE_FEED_ABSENT)
  }
}
