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
    // On the writer thread nothing is half written.
    try environment.write { (_: inout WriteTransaction) throws(LMDBError) in
      guard Self.copy(environment.path + "/data.mdb", to: target + "/feeds/data.mdb") else {
        throw LMDBError(.io, "cannot copy the store", path: target)
      }
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
