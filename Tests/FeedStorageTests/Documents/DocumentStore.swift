import FeedRecord
import FeedSchema
import FeedStorage
import Foundation
import JSONStream
import TestSupport

/// A store of documents in its own directory.
struct DocumentStore {
  let store: TestFeed

  /// - Parameter inMemory: true for a test that publishes often.
  init(inMemory: Bool = false) throws { store = try TestFeed(inMemory: inMemory) }

  init(store: TestFeed) { self.store = store }

  var database: FeedDatabase { store.database }

  /// Ingests texts as the files of one feed of documents.
  @discardableResult
  func ingest(
    _ texts: String..., into name: String = "feed",
    change: (inout IngestOptions) -> Void = { _ in }
  ) throws -> Feed {
    var options = IngestOptions()
    options.feed = try FeedName(name)
    options.form = .document
    change(&options)
    let push = database.push(from: "test.json", options: options)
    for text in texts {
      try push.feed(Array(text.utf8))
      _ = try push.endDocument()
    }
    try push.finish()
    return try database.existingFeed(named: FeedName(name))
  }

  /// Ingests a file, which can be read a second time.
  @discardableResult
  func ingest(
    file text: String, into name: String = "feed", change: (inout IngestOptions) -> Void = { _ in }
  ) throws -> Feed {
    let path = store.directory.path + "/\(name).json"
    try Data(text.utf8).write(to: URL(filePath: path))
    var options = IngestOptions()
    options.feed = try FeedName(name)
    options.form = .document
    change(&options)
    _ = try database.ingest([path], options: options)
    return try database.existingFeed(named: FeedName(name))
  }

  /// The feed as a document in its original form, as `feedcore export` writes it.
  func export(_ feed: Feed) throws -> String {
    let frame = FeedFrame(feed.description, .source)
    var text: [UInt8] = []
    let all = try CompiledQuery(FeedQuery(), for: feed)
    _ = try feed.writeText(of: all, as: .document(frame)) { part in
      part.withUnsafeBytes { text.append(contentsOf: $0) }
      return true
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The texts of the records with a key, which may have several parts.
  func records(_ feed: Feed, _ key: String...) throws -> [String] {
    guard let bytes = feed.keyBytes(key) else { return [] }
    return try texts(feed) { body throws(StoreError) in
      _ = try feed.lookUp(bytes.span.bytes, body)
    }
  }

  /// The texts of the records that an index finds.
  func records(_ feed: Feed, where path: [String], is value: String) throws -> [String] {
    guard let field = feed.schema.documentField(path) else { return [] }
    return try texts(feed) { body throws(StoreError) in
      _ = try feed.lookUp(Array(value.utf8).span.bytes, field: field.id, body)
    }
  }

  /// The texts of all records.
  func records(_ feed: Feed) throws -> [String] {
    try texts(feed) { body throws(StoreError) in try feed.scan(body) }
  }

  private func texts(
    _ feed: Feed,
    _ read: ((RecordView, Int) throws(StoreError) -> Bool) throws(StoreError) -> Void
  ) throws -> [String] {
    var texts: [String] = []
    try read { record, _ throws(StoreError) in
      var text: [UInt8] = []
      try feed.appendJSON(of: record, to: &text)
      texts.append(String(decoding: text, as: UTF8.self))
      return true
    }
    return texts
  }

  /// The keys of all records as text.
  func keys(_ feed: Feed) throws -> [String?] {
    var keys: [String?] = []
    try feed.scan { record, position throws(StoreError) in
      keys.append(try feed.keyText(of: record, at: position))
      return true
    }
    return keys
  }

  /// The findings of a check of the whole store.
  func findings() throws -> [String] {
    try FeedDatabase.check(at: store.directory.path).findings
  }
}
