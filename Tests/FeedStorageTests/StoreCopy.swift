import FeedStorage
import LMDB
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A copy of a store's data file as it is on disk, in another directory.
struct StoreCopy {
  let directory: TemporaryDirectory

  struct Failure: Error {}

  init(of feed: TestFeed) throws {
    directory = try TemporaryDirectory()
    let target = directory.path
    guard mkdir(target + "/feeds", 0o700) == 0 else { throw Failure() }
    let environment = try Environment.open(feed.directory.path + "/feeds", .init(tables: []))
    // This runs on the writer thread, so no other write is in progress.
    try environment.write { (_: inout WriteTransaction) throws(LMDBError) in
      guard Self.copy(environment.path + "/data.mdb", to: target + "/feeds/data.mdb") else {
        throw LMDBError(.io, "cannot copy the store", path: target)
      }
    }
  }

  /// Changes a table of the copy without the store's code.
  ///
  /// - Parameter body: receives all keys of the table
  @discardableResult
  func change<R>(
    _ name: String, _ body: ([[UInt8]], Table, inout WriteTransaction) throws(LMDBError) -> R
  ) throws -> R {
    let environment = try Environment.open(directory.path + "/feeds", .init(tables: [name]))
    let table = try environment.table(name)
    return try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      let keys = try transaction.reading { view throws(LMDBError) in
        var keys: [[UInt8]] = []
        var cursor = try view.cursor(table)
        while try cursor.next() { keys.append(Array(copying: cursor.key)) }
        return keys
      }
      return try body(keys, table, &transaction)
    }
  }

  /// Replaces all occurrences of bytes in the file, which must not be open.
  func replace(_ old: [UInt8], by new: [UInt8]) throws {
    guard let file = fopen(directory.path + "/feeds/data.mdb", "r+") else { throw Failure() }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else { throw Failure() }
    let ranges = bytes.ranges(of: old)
    for range in ranges { bytes.replaceSubrange(range, with: new) }
    rewind(file)
    guard !ranges.isEmpty, fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw Failure()
    }
  }

  private static func copy(_ source: String, to target: String) -> Bool {
    guard let input = fopen(source, "r") else { return false }
    defer { fclose(input) }
    guard let output = fopen(target, "w") else { return false }
    defer { fclose(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&buffer, 1, buffer.count, input)
      if count == 0 { return feof(input) != 0 }
      guard fwrite(buffer, 1, count, output) == count else { return false }
    }
  }
}
