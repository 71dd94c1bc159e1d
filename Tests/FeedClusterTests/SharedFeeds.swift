import FeedCore
import FeedStorage
import Foundation
import Testing

/// The name of the feed of most tests.
let events = "events"

/// The text of records with these ids.
func document(_ range: Range<Int>, value: String = "v") -> String {
  "[" + range.map { #"{"id":\#($0),"text":"\#(value)\#($0)"}"# }.joined(separator: ",") + "]"
}

/// Publishes the records of a text.
@discardableResult
func ingest(
  _ text: String, as name: String = events, into database: FeedDatabase, append: Bool = false,
  records: String? = nil,
  options: IngestOptions = IngestOptions()
) throws -> Feed {
  var options = options
  options.records = records
  options.feed = try FeedName(name)
  options.form = .document
  options.appends = append
  let push = database.push(from: "test.json", options: options)
  try push.feed(Array(text.utf8))
  _ = try push.endDocument()
  try push.finish()
  return try database.existingFeed(named: FeedName(name))
}

/// The bytes of all records.
func records(_ database: FeedDatabase, _ name: String = events) throws -> [[UInt8]] {
  var records: [[UInt8]] = []
  try database.existingFeed(named: FeedName(name)).forEachRecord { record, _ in
    records.append(record.bytes.withUnsafeBytes { Array($0) })
  }
  return records
}

/// Changes a letter of a text wherever it occurs in the file of a store.
func damage(_ text: String, in database: FeedDatabase) throws {
  let url = URL(filePath: database.directory + "/feeds/data.mdb")
  let handle = try FileHandle(forUpdating: url)
  defer { try? handle.close() }
  let bytes = try #require(try handle.readToEnd())
  var start = bytes.startIndex
  var count = 0
  while let place = bytes[start...].range(of: Data(text.utf8)) {
    try handle.seek(toOffset: UInt64(place.lowerBound))
    try handle.write(contentsOf: [bytes[place.lowerBound] ^ 1])
    start = place.upperBound
    count += 1
  }
  try #require(count > 0)
}
