package import FeedRecord
package import FeedStorage

// Reads of the generation that is current at the time of the call.
extension FeedDatabase {
  /// Passes the records and their positions in document order until `body` returns false.
  @discardableResult
  package func forEachRecord(
    in name: FeedName, from offset: Int = 0,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> FeedDescription {
    let feed = try existingFeed(named: name)
    try feed.scan(from: offset, body)
    return feed.description
  }

  /// Passes the records with a key in document order until `body` returns false.
  @discardableResult
  package func forEachRecord(
    in name: FeedName, withKeyBytes key: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try existingFeed(named: name).lookUp(key, body)
  }

  /// Passes the records with a value in an indexed field until `body` returns false.
  @discardableResult
  package func forEachRecord(
    in name: FeedName, whereField field: UInt16, hasBytes bytes: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try existingFeed(named: name).lookUp(bytes, field: field, body)
  }
}
