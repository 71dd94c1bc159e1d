import FeedCore

/// A store of FeedCore with the feed `universities`, in a new directory.
final class OurStore {
  let database: FeedDatabase
  let feed: FeedName
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    database = try FeedDatabase.open(at: directory.file("store"))
    feed = try FeedName("universities")
  }

  /// The current generation of the feed.
  func current() throws -> Feed { try database.existingFeed(named: feed) }

  /// The number of universities, and the UTF-8 bytes of their names.
  func proof() throws -> Proof {
    var (records, sum) = (0, UInt64(0))
    try current().forEach(University.self) { university in
      records += 1
      sum += UInt64(university.name.utf8.count)
    }
    return Proof(records: records, sum: sum)
  }

  /// The flat record of each university under its name, in the order of the feed.
  func flatRecords() throws -> Entries {
    let feed = try current()
    var names: [[UInt8]] = []
    try feed.forEach(University.self) { names.append(Array($0.name.utf8)) }
    var entries = Entries()
    try feed.forEachRecord { record, index in
      record.bytes.withUnsafeBytes { entries.append(key: names[index], value: $0) }
    }
    return entries
  }
}
