import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

// The functions are called as C calls them, through the declarations of feedcore.h. `FeedCoreC`
// is imported so that it is linked.

/// A temporary store that is opened through the C functions.
final class CStore {
  let directory: TemporaryDirectory
  let handle: OpaquePointer

  convenience init(flags: UInt32 = FEEDCORE_CREATE) throws {
    try self.init(in: TemporaryDirectory(inMemory: true), flags: flags)
  }

  init(in directory: TemporaryDirectory, flags: UInt32 = FEEDCORE_CREATE) throws {
    self.directory = directory
    handle = try Self.open(directory.path, flags)
  }

  deinit { feedcore_store_close(handle) }

  static func open(_ path: String, _ flags: UInt32) throws -> OpaquePointer {
    var store: OpaquePointer?
    var error: OpaquePointer?
    let status = feedcore_store_open(path, path.utf8.count, flags, &store, &error)
    #expect(status == FEEDCORE_OK, "\(take(error))")
    return try #require(store)
  }

  /// Ingests a text by pushing it.
  @discardableResult
  func ingest(
    _ text: String, feed: String = "", flags: UInt32 = 0, indexed: String = ""
  ) throws -> feedcore_report {
    let (report, status, message) = try push(text, feed: feed, flags: flags, indexed: indexed)
    #expect(status == FEEDCORE_OK, "\(message)")
    return report
  }

  func push(
    _ text: String, feed: String = "", flags: UInt32 = 0, generation: UInt64 = 0,
    indexed: String = "", chunks: Int = 7
  ) throws -> (report: feedcore_report, status: feedcore_status, message: String) {
    var ingest: OpaquePointer?
    var error: OpaquePointer?
    let status = feed.withCString { feed in
      indexed.withCString { indexed in
        var options = feedcore_ingest_options.initial
        options.feed = feed
        options.feed_length = strlen(feed)
        options.indexed_fields = indexed
        options.indexed_fields_length = strlen(indexed)
        options.flags = flags
        options.generation = generation
        return feedcore_ingest_begin(handle, &options, &ingest, &error)
      }
    }
    var report = feedcore_report()
    if status != FEEDCORE_OK { return (report, status, take(error)) }
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: max(bytes.count / chunks, 1)) {
      let chunk = Array(bytes[start..<min(start + max(bytes.count / chunks, 1), bytes.count)])
      let status = feedcore_ingest_push(ingest, chunk, chunk.count, &error)
      if status != FEEDCORE_OK {
        let message = take(error)
        #expect(feedcore_ingest_cancel(ingest) == FEEDCORE_OK)
        return (report, status, message)
      }
    }
    let end = feedcore_ingest_finish(ingest, &report, &error)
    return (report, end, take(error))
  }

  func recordCount(of name: String) -> UInt64? {
    var feeds: OpaquePointer?
    #expect(feedcore_feeds_find(handle, name, name.utf8.count, &feeds, nil) == FEEDCORE_OK)
    defer { feedcore_feeds_free(feeds) }
    return feedcore_feeds_at(feeds, 0)?.pointee.record_count
  }

  func reader(_ name: String) throws -> OpaquePointer {
    var reader: OpaquePointer?
    var error: OpaquePointer?
    let status = feedcore_reader_open(handle, name, name.utf8.count, &reader, &error)
    #expect(status == FEEDCORE_OK, "\(take(error))")
    return try #require(reader)
  }
}

extension feedcore_ingest_options {
  /// The options of `FEEDCORE_INGEST_OPTIONS_INIT`.
  static var initial: feedcore_ingest_options {
    var options = feedcore_ingest_options()
    options.size = MemoryLayout<feedcore_ingest_options>.size
    return options
  }
}

/// The message of an error, which is freed; empty for none.
func take(_ error: OpaquePointer?) -> String {
  guard let error else { return "" }
  defer { #expect(feedcore_error_free(error) == FEEDCORE_OK) }
  var length = 0
  guard let text = feedcore_error_message(error, &length) else { return "" }
  let message = String(cString: text)
  #expect(message.utf8.count == length)
  return message
}

/// Runs a call, and returns its status and its message.
func outcome(
  _ call: (UnsafeMutablePointer<OpaquePointer?>) -> feedcore_status
) -> (status: feedcore_status, message: String) {
  var error: OpaquePointer? = OpaquePointer(bitPattern: 7)
  let status = call(&error)
  #expect((error != nil) == (status != FEEDCORE_OK && status != FEEDCORE_NONE))
  if let error { #expect(feedcore_error_status(error) == status) }
  return (status, take(error))
}

/// A text field of a reader's current record.
func text(_ reader: OpaquePointer, _ name: String) -> String? {
  var value = feedcore_value()
  guard feedcore_field_named(reader, name, name.utf8.count, &value) == FEEDCORE_OK,
    value.is_null == 0
  else { return nil }
  return String(
    decoding: UnsafeRawBufferPointer(start: value.bytes, count: value.length), as: UTF8.self)
}

/// The elements of a list field.
func list(_ reader: OpaquePointer, _ name: String) -> [String]? {
  var value = feedcore_value()
  guard feedcore_field_named(reader, name, name.utf8.count, &value) == FEEDCORE_OK,
    value.is_null == 0
  else { return nil }
  return (0..<value.count).map { index in
    var bytes: UnsafePointer<CChar>?
    var length = 0
    #expect(feedcore_element(reader, value.id, index, &bytes, &length) == FEEDCORE_OK)
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
  }
}

enum Documents {
  static let universities = #"""
    [{"name": "Ege", "country": "Turkey", "alpha_two_code": "TR", "domains": ["ege.edu.tr"],
      "web_pages": ["http://ege.edu.tr", "http://e.tr"], "state-province": null},
     {"name": "São Paulo", "country": "Brazil", "alpha_two_code": "BR", "web_pages": [],
      "domains": []},
     {"name": "Ege", "country": "Brazil", "alpha_two_code": "BR", "web_pages": ["x"]}]
    """#

  static let comments = #"""
    {"items": [{"id": "7019D8A7-0B35-4057-B7F9-8C5471961ED0", "message": "a message",
      "created_at": "2020-05-20T11:24:59+0000", "author": {"username": "a username"}}]}
    """#

  static func many(_ count: Int, note: String = "") -> String {
    let records = (0..<count).map {
      #"{"name": "U\#($0)", "country": "C\#(note)", "alpha_two_code": "CC", "web_pages": ["p\#($0)"]}"#
    }
    return "[" + records.joined(separator: ",\n") + "]"
  }
}

extension CStore {
  /// Begins an ingest of records of a kind.
  func begin(
    kind: String, _ ingest: inout OpaquePointer?, _ options: feedcore_ingest_options = .initial
  ) -> feedcore_status {
    var options = options
    return kind.withCString { bytes in
      options.kind = bytes
      options.kind_length = kind.utf8.count
      return feedcore_ingest_begin(handle, &options, &ingest, nil)
    }
  }
}
