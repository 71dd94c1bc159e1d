public import FeedPayloads
import FeedRecord

extension FeedDatabase {
  /// Calls `body` with each record of a feed as a Swift value, in document order, until it returns
  /// false.
  ///
  /// All values belong to one generation, even if the feed is replaced meanwhile. Memory does not
  /// grow with the feed: a value lives as long as `body` keeps it.
  ///
  /// - Parameters:
  ///   - type: the model, such as `University.self`.
  ///   - name: the feed.
  ///   - offset: the number of records to skip.
  ///   - body: receives each value; false ends the scan.
  /// - Returns: the description of the generation that was read.
  /// - Throws: `notFound` if there is no such feed; `invalidKind` if its records have another
  ///   contract than the model; `damaged`; the error of `body`, which must be a ``StoreError``: to
  ///   pass another error, keep it in a variable and return false.
  @discardableResult
  public func forEach<Model: PayloadModel>(
    _ type: Model.Type, in name: FeedName, from offset: Int = 0,
    _ body: (Model) throws(StoreError) -> Bool
  ) throws(StoreError) -> FeedDescription {
    try forEachRecord(
      in: name, from: offset,
      prepare: { (feed) throws(StoreError) in try Self.require(Model.self, feed) },
      { (record, _) throws(StoreError) in try body(Self.model(record)) })
  }

  /// All records of a feed as Swift values, in document order, from one generation.
  ///
  /// They are copied from the store, so this is for feeds that fit in memory. Use
  /// ``forEach(_:in:from:_:)`` for others.
  ///
  /// - Throws: `notFound` if there is no such feed; `invalidKind` if its records have another
  ///   contract than the model; `damaged`.
  public func records<Model: PayloadModel>(
    of type: Model.Type, in name: FeedName
  ) throws(StoreError) -> [Model] {
    var models: [Model] = []
    try forEachRecord(
      in: name,
      prepare: { (feed) throws(StoreError) in
        try Self.require(Model.self, feed)
        // A damaged count must not reserve more memory than the records need.
        models.reserveCapacity(min(feed.recordCount, 1 << 16))
      },
      { (record, _) throws(StoreError) in
        models.append(try Self.model(record))
        return true
      })
    return models
  }

  private static func require<Model: PayloadModel>(
    _ type: Model.Type, _ feed: FeedDescription
  ) throws(StoreError) {
    guard feed.kind == Model.schema.name, feed.layout.canBeRead(as: Model.schema.layout) else {
      throw StoreError(
        .invalidKind,
        "the feed \(feed.name) holds \(feed.kind), which cannot be read as \(Model.self)")
    }
  }

  private static func model<Model: PayloadModel>(
    _ record: borrowing RecordView
  ) throws(StoreError) -> Model {
    do throws(RecordError) {
      return try Model(record)
    } catch {
      throw StoreError(error)
    }
  }
}
