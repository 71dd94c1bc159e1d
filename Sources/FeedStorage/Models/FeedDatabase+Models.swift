public import FeedPayloads
import FeedRecord

extension FeedDatabase {
  /// Calls `body` with each record of a feed as a Swift value, in document order, until it
  /// returns false.
  ///
  /// One generation is read from its start to its end, also when the feed is replaced
  /// meanwhile. Memory does not grow with the feed: a value lives as long as `body` keeps it.
  ///
  /// - Parameters:
  ///   - type: the model, such as `University.self`.
  ///   - name: the feed.
  ///   - offset: records to pass over first.
  ///   - body: given each value; false ends the scan.
  /// - Returns: the description of the generation that was read.
  /// - Throws: `notFound` where there is no such feed; `invalidKind` where its records follow
  ///   another contract than the model; `damaged`; what `body` throws, which must be a
  ///   ``StoreError``: keep an error of your own in a variable and return false.
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

  /// All records of a feed as Swift values, in document order, of one generation.
  ///
  /// They are copied out of the store, so this is for feeds that fit in memory;
  /// ``forEach(_:in:from:_:)`` is for the others.
  ///
  /// - Throws: `notFound` where there is no such feed; `invalidKind` where its records follow
  ///   another contract than the model; `damaged`.
  public func records<Model: PayloadModel>(
    of type: Model.Type, in name: FeedName
  ) throws(StoreError) -> [Model] {
    var models: [Model] = []
    try forEachRecord(
      in: name,
      prepare: { (feed) throws(StoreError) in
        try Self.require(Model.self, feed)
        // A damaged count must not ask for more memory than the records will.
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
