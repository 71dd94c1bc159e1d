public import FeedStorage
public import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One record of a feed, copied from the store.
public struct StoredRecord: Sendable, Hashable {
  /// Its position in the feed, from 0.
  public let position: Int
  /// Its key as text; nil if it has none.
  public let key: String?
  /// Its value.
  public let json: JSONValue

  fileprivate init(
    _ record: borrowing RecordView, of feed: Feed, at position: Int
  ) throws(StoreError) {
    var text: [UInt8] = []
    try feed.appendJSON(of: record, to: &text)
    self.position = position
    key = try feed.keyText(of: record, at: position)
    json = JSONValue(validated: text)
  }

  /// The JSON text. For a document, the ingested text without white space between its tokens. For a
  /// record of a contract, an object with the fields of the contract.
  public var text: String { json.text }

  /// The value at a path, as in `user.name` or `/tags/0`; see `JSONValue`.
  public subscript(path: String) -> JSONValue? { json[path] }

  /// The record as a Swift value. Costs a pass of `JSONDecoder` over the text.
  ///
  /// - Throws: the error of `JSONDecoder`.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.bytes))
  }
}

/// The records of one generation of a feed, in document order.
///
/// ```swift
/// for try await record in feed.records {
///   print(record["user.name"]?.string ?? "", record.text)
/// }
/// ```
///
/// Up to 256 records or 1 MiB are copied at a time. No snapshot is open between two of these steps.
public struct FeedRecords: AsyncSequence, Sendable {
  fileprivate let feed: Feed

  /// Iterates over the records.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private static let maximumRecords = 256
    private static let maximumBytes = 1 << 20

    private let feed: Feed
    private var batch: ArraySlice<StoredRecord> = []
    private var position = 0

    fileprivate init(_ feed: Feed) { self.feed = feed }

    /// The next record; nil after the last one.
    ///
    /// - Throws: `StoreError`: `damaged`, or `replaced` if a restored store lacks the rest.
    public mutating func next() async throws -> StoredRecord? {
      if batch.isEmpty { try fill() }
      return batch.popFirst()
    }

    private mutating func fill() throws(StoreError) {
      var records: [StoredRecord] = []
      var bytes = 0
      try feed.scan(from: position) { record, position throws(StoreError) in
        let copy = try StoredRecord(record, of: feed, at: position)
        bytes += copy.json.bytes.count
        records.append(copy)
        return records.count < Self.maximumRecords && bytes < Self.maximumBytes
      }
      position += records.count
      batch = records[...]
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed) }
}

extension Feed {
  /// All records of any feed as JSON values, in document order.
  public var records: FeedRecords { FeedRecords(feed: self) }

  /// The first record with a key; nil if there is none.
  ///
  /// - Parameter key: the key as text, or the parts of a composed key in their order.
  /// - Throws: `damaged`.
  public func record(withKey key: String...) throws(StoreError) -> StoredRecord? {
    guard let bytes = keyBytes(key) else { return nil }
    var found: StoredRecord?
    _ = try lookUp(bytes.span.bytes) { record, position throws(StoreError) in
      found = try StoredRecord(record, of: self, at: position)
      return false
    }
    return found
  }
}

extension FeedDatabase {
  /// Publishes any `Encodable` values as a feed of documents, completely or not at all.
  ///
  /// Each value is encoded by `JSONEncoder` with its keys sorted, and validated like the line of a
  /// file. Encode a sorted array instead of a `Set`. The order of a `Set` differs between
  /// processes, so an append adds an equal value again.
  ///
  /// ```swift
  /// try database.insert(users, into: FeedName("users"), key: "id")
  /// ```
  ///
  /// - Parameters:
  ///   - values: the records in order.
  ///   - name: the feed.
  ///   - key: the path of the key, as in `user.id`; nil to find one.
  ///   - appends: true to keep the feed's records and add those that it does not have.
  /// - Returns: a report, once the feed survives a power cut.
  /// - Throws: the error of `JSONEncoder`; `IngestError`. Nothing has been published
  ///   then, unless the message says that the feed was published and not made durable.
  @discardableResult
  public func insert<Value: Encodable>(
    _ values: some Sequence<Value>, into name: FeedName, key: String?, appends: Bool = false
  ) throws -> IngestReport {
    var options = IngestOptions()
    options.feed = name
    options.form = .document
    options.plan = DocumentPlan(.lines)
    options.key = key.map { [$0] } ?? []
    options.appends = appends
    let push = push(from: "values", options: options)
    let encoder = JSONEncoder()
    // Otherwise the order of the keys differs between encoded objects.
    encoder.outputFormatting = .sortedKeys
    for value in values {
      var line = [UInt8](try encoder.encode(value))
      line.append(0x0A)
      try push.feed(line.span.bytes)
    }
    return try push.finish()
  }
}
