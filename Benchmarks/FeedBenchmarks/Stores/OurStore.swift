import FeedCore

/// A store of FeedCore's with the feed `universities`, in a directory of its own.
final class OurStore {
  let database: FeedDatabase
  let feed: FeedName
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    database = try FeedDatabase.open(at: directory.file("store"))
    feed = try FeedName("universities")
  }

  /// How many universities there are, and the UTF-8 bytes of their names.
  func proof() throws -> Proof {
    var (records, sum) = (0, UInt64(0))
    try database.forEach(University.self, in: feed) { university in
      records += 1
      sum += UInt64(university.name.utf8.count)
      return true
    }
    return Proof(records: records, sum: sum)
  }

  /// The flat record of each university under its name, in the order of the feed.
  func flatRecords() throws -> Entries {
    var names: [[UInt8]] = []
    try database.forEach(University.self, in: feed) { university in
      names.append(Array(university.name.utf8))
      return true
    }
    var entries = Entries()
    try database.forEachRecord(in: feed) { record, index in
      record.bytes.withUnsafeBytes { entries.append(key: names[index], value: $0) }
      return true
    }
    return entries
  }
}
