public import FeedAPI
import FeedRecord
import FeedSchema
public import FeedStorage

extension Feed {
  /// Calls `body` with each record as a Swift value, in document order.
  ///
  /// Memory does not grow with the feed: a value lives as long as `body` keeps it. An error of
  /// `body` ends the scan.
  ///
  /// - Parameters:
  ///   - type: the model, such as `University.self`.
  ///   - offset: the number of records to skip.
  ///   - limit: the maximum number of values.
  ///   - body: receives each value.
  /// - Throws: `StoreError`: `invalidKind` if the records have another contract than the model;
  ///   `damaged`; the error of `body`.
  public func forEach<Model: PayloadModel>(
    _ type: Model.Type, from offset: Int = 0, limit: Int = .max, _ body: (Model) throws -> Void
  ) throws {
    try requireRecords(of: type)
    try forEachRecord(from: offset, limit: limit) { record, _ in try body(model(record)) }
  }

  /// All records as Swift values, in document order.
  ///
  /// They are copied from the store, so this is for feeds that fit in memory. Use
  /// ``forEach(_:from:limit:_:)`` for others.
  ///
  /// - Throws: `invalidKind` if the records have another contract than the model; `damaged`.
  public func records<Model: PayloadModel>(of type: Model.Type) throws(StoreError) -> [Model] {
    try requireRecords(of: type)
    var models: [Model] = []
    // A damaged count must not reserve more memory than the records need.
    models.reserveCapacity(min(description.recordCount, 1 << 16))
    try scan { record, _ throws(StoreError) in
      models.append(try model(record))
      return true
    }
    return models
  }

  /// The first record with a key as a Swift value; nil if there is none.
  ///
  /// - Parameters:
  ///   - type: the model, such as `University.self`.
  ///   - key: the key as text; that of a UUID has hyphens.
  /// - Throws: `invalidKind` if the records have another contract than the model; `damaged`.
  public func first<Model: PayloadModel>(
    _ type: Model.Type, withKey key: String
  ) throws(StoreError) -> Model? {
    try requireRecords(of: type)
    var found: Model?
    let keys =
      schema.document == nil
      ? Model.schema.keyBytes(key).map { [$0] } ?? [] : contractKeys(ofText: key)
    for bytes in keys where found == nil {
      _ = try lookUp(bytes.span.bytes) { record, _ throws(StoreError) in
        found = try model(record)
        return false
      }
    }
    return found
  }

  private func requireRecords<Model: PayloadModel>(
    of type: Model.Type
  ) throws(StoreError) {
    let schema = Model.schema
    guard description.isReadable(as: schema) else {
      throw StoreError(
        .invalidKind,
        "the feed \(description.name) holds \(description.kind), which cannot be read as"
          + " \(Model.self)")
    }
  }

  private func model<Model: PayloadModel>(
    _ record: borrowing RecordView
  ) throws(StoreError) -> Model {
    try withFields(of: record) { record throws(StoreError) in
      do throws(RecordError) {
        return try Model(record)
      } catch {
        throw StoreError(error)
      }
    }
  }
}
