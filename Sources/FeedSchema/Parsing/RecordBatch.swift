@_spi(Ingest) public import FeedRecord

/// A batch of validated records: a value that can be stored, copied and sent anywhere.
///
/// It owns its records in the flat form of a store, with about as many bytes as their text. It
/// holds nothing of the input. Copies share the records.
public struct RecordBatch: Sendable {
  /// The contract of the records.
  public var schema: PayloadSchema { storage.schema }
  /// The index of the first record in its document. It starts at 0 and does not count rejected
  /// records.
  public let firstIndex: Int
  private let storage: Storage

  // A single reference, because a batch is copied with each of its records.
  private final class Storage: Sendable {
    let records: RecordEncoder
    let schema: PayloadSchema

    init(_ records: consuming RecordEncoder, _ schema: PayloadSchema) {
      self.records = records
      self.schema = schema
    }
  }

  /// Takes the finished records of an encoder.
  init(_ schema: PayloadSchema, firstIndex: Int, taking records: consuming RecordEncoder) {
    self.firstIndex = firstIndex
    storage = Storage(records, schema)
  }

  /// The number of records; at least one.
  public var count: Int { storage.records.count }

  /// Calls `body` with a view of one record. Copies nothing.
  ///
  /// - Parameters:
  ///   - index: from 0 to below ``count``; another one is a bug of the caller and traps.
  ///   - body: receives the record, which is valid only during the call.
  /// - Throws: the error of `body`.
  public func withRecord<Result>(
    at index: Int, _ body: (borrowing RecordView) throws(RecordError) -> Result
  ) throws(RecordError) -> Result {
    try Self.withRecord(at: index, of: storage.records, storage.schema.layout, body)
  }

  private static func withRecord<Result>(
    at index: Int, of records: borrowing RecordEncoder, _ layout: borrowing RecordLayout,
    _ body: (borrowing RecordView) throws(RecordError) -> Result
  ) throws(RecordError) -> Result {
    let record = try RecordView(
      records.bytes(at: index), layout: layout, isWide: records.isWide(at: index))
    return try body(record)
  }
}

/// One record of a batch. It keeps the batch in memory.
public struct ParsedRecord: Sendable {
  /// The batch of the record.
  public let batch: RecordBatch
  /// Its index in the batch.
  public let indexInBatch: Int

  /// Its index in its document. It starts at 0 and does not count rejected records.
  public var index: Int { batch.firstIndex + indexInBatch }

  /// Calls `body` with a view of the record. Copies nothing.
  ///
  /// - Throws: the error of `body`.
  public func withView<Result>(
    _ body: (borrowing RecordView) throws(RecordError) -> Result
  ) throws(RecordError) -> Result {
    try batch.withRecord(at: indexInBatch, body)
  }
}
