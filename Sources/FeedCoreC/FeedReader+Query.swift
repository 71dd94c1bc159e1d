// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

extension FeedQuery {
  /// The query from C.
  init(_ source: UnsafePointer<feedcore_query>?) throws {
    guard let source else { throw Failure(FEEDCORE_MISUSE, "query is NULL") }
    let given = try Input.versioned(
      UnsafeRawPointer(source), minimum: MemoryLayout<feedcore_query>.size,
      into: feedcore_query(), "FEEDCORE_QUERY_INIT")
    func lines(
      _ start: UnsafePointer<CChar>?, _ length: Int, _ name: StaticString
    ) throws -> [String] {
      try Input.text(start, length, name).parts(separatedBy: "\n")
    }
    self.init(
      where: try lines(given.conditions, given.conditions_length, "conditions"),
      sort: try lines(given.sort, given.sort_length, "sort"),
      offset: Int(clamping: given.offset),
      limit: given.limit == 0 ? nil : Int(clamping: given.limit))
  }
}

extension FeedReader {
  /// Visits the records that a query selects; returns their number.
  func find(_ query: FeedQuery, _ visit: () -> Bool) throws -> Int {
    let feed = try currentFeed()
    var count = 0
    defer { endVisits() }
    try feed.forEachMatch(of: CompiledQuery(query, for: feed), needsText: false) {
      (record, position, _) throws(StoreError) in
      try beginVisit(record, at: position)
      count += 1
      return visit()
    }
    return count
  }

  /// The number of records that meet all conditions.
  func count(_ query: FeedQuery) throws -> Int {
    let conditions = FeedQuery(where: query.conditions)
    return try currentFeed().count(matching: conditions)
  }
}

@c @implementation
public func feedcore_query_each(
  _ reader: OpaquePointer?, _ query: UnsafePointer<feedcore_query>?, _ visit: feedcore_visit?,
  _ context: UnsafeMutableRawPointer?, _ count: UnsafeMutablePointer<UInt64>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  count?.pointee = 0
  return Call.own(reader, FeedReader.self, error) { object in
    guard let visit else { throw Failure(FEEDCORE_MISUSE, "visit is NULL") }
    let visits = try object.find(try FeedQuery(query)) { visit(context, reader) == 0 }
    count?.pointee = UInt64(clamping: visits)
    return visits > 0 ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

@c @implementation
public func feedcore_query_count(
  _ reader: OpaquePointer?, _ query: UnsafePointer<feedcore_query>?,
  _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  count?.pointee = 0
  return Call.own(reader, FeedReader.self, error) { object in
    guard let count else { throw Failure(FEEDCORE_MISUSE, "count is NULL") }
    count.pointee = UInt64(clamping: try object.count(try FeedQuery(query)))
    return FEEDCORE_OK
  }
}
