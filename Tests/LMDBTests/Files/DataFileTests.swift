import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct DataFileTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/store" }
  var file: String { path + "/data.mdb" }

  init() throws {
    directory = try TemporaryDirectory()
    let store = try TestStore(path)
    try store.put("first", String(repeating: "x", count: 50_000))
    try store.put("second", String(repeating: "y", count: 50_000))
  }

  @Test("an empty data file is damaged and not a new store")
  func empty() throws {
    #expect(truncate(file, 0) == 0)
    #expect(try code { _ = try TestStore(path) } == .damaged)
  }

  @Test("a truncated data file is damaged", arguments: [100, 4_096, 8_192, 20_000, 60_000])
  func truncated(length: Int) throws {
    #expect(truncate(file, off_t(length)) == 0)
    #expect(try code { _ = try TestStore(path) } == .damaged)
  }

  @Test("a file of another kind is damaged, and the message names it")
  func foreign() throws {
    let descriptor = open(file, O_WRONLY)
    defer { close(descriptor) }
    let text = String(repeating: "no database\n", count: 1_000)
    #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
    let error = #expect(throws: LMDBError.self) { try TestStore(path) }
    #expect(error?.code == .damaged)
    #expect(error?.path == file)
  }

  @Test("a file that lacks only pages that were never written is complete")
  func unwrittenFreePages() throws {
    var store: TestStore? = try TestStore(path)
    let table = try #require(store?.table)
    // Allocated and freed in one transaction, so counted but not written.
    try store?.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(table, "third", String(repeating: "z", count: 900_000))
      _ = try transaction.delete(table, Array("third".utf8).span.bytes)
    }
    let statistics = try #require(try store?.environment.statistics())
    try #require(statistics.lastPage * statistics.pageSize > statistics.fileBytes)
    store = nil
    #expect(try TestStore(path).get("second")?.utf8.count == 50_000)
  }

  @Test(
    "a meta page with another commit's number is damaged, and no older state is read",
    arguments: 0..<64)
  func metaNumber(bit: Int) throws {
    let store = try TestStore(path)
    for number in 0..<8 { try store.put("key \(number)", "value") }
    let copy = try TemporaryDirectory()
    try #require(mkdir(copy.path + "/store", 0o700) == 0)
    let bytes = try contents(file)
    let number = { (page: Int) in
      bytes[(page * 4_096 + 144)..<(page * 4_096 + 152)].reversed().reduce(0) {
        $0 << 8 | UInt64($1)
      }
    }
    for page in 0..<2 {
      // The last commit's number minus 2 is what this page had before, as after a failed write.
      if bit == 1, number(page) > number(1 - page), number(page) & 2 != 0 { continue }
      var changed = bytes
      // A meta page has its commit's number at offset 144.
      changed[page * 4_096 + 144 + bit / 8] ^= 1 << UInt8(bit % 8)
      try replace(copy.path + "/store/data.mdb", with: changed)
      #expect(try code { _ = try TestStore(copy.path + "/store") } == .damaged)
    }
  }

  @Test(
    "if any bit of a commit's number is damaged, the synchronised data are read or none are",
    arguments: 0..<2)
  func synchronizedCommit(parity: Int) throws {
    let store = try TestStore(path)
    // The result must not depend on bit 1 of the last number.
    for number in 0..<(5 + 2 * parity) { try store.put("key \(number)", "value") }
    try store.put("last", "value")
    try store.environment.flush()
    store.environment.commitAgain()
    let copy = try TemporaryDirectory()
    try #require(mkdir(copy.path + "/store", 0o700) == 0)
    let bytes = try contents(file)
    for position in 0..<128 {
      var changed = bytes
      changed[position / 64 * 4_096 + 144 + position % 64 / 8] ^= 1 << UInt8(position % 8)
      try replace(copy.path + "/store/data.mdb", with: changed)
      do {
        #expect(try TestStore(copy.path + "/store").get("last") == "value")
      } catch {
        #expect((error as? LMDBError)?.code == .damaged)
      }
    }
  }

  private func contents(_ path: String) throws -> [UInt8] {
    let input = try #require(fopen(path, "r"))
    defer { fclose(input) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    return Array(bytes[..<fread(&bytes, 1, bytes.count, input)])
  }

  private func replace(_ path: String, with bytes: [UInt8]) throws {
    let output = try #require(fopen(path, "w"))
    defer { fclose(output) }
    try #require(fwrite(bytes, 1, bytes.count, output) == bytes.count)
  }

  @Test("a data file with a second name can be read, but not written until that name is removed")
  func secondName() throws {
    let copy = directory.path + "/copy"
    try #require(mkdir(copy, 0o700) == 0 && link(file, copy + "/data.mdb") == 0)
    for directory in [path, copy] {
      let store = try TestStore(directory)
      #expect(try store.get("second")?.utf8.count == 50_000)
      #expect(try code { try store.put("third", "value") } == .invalidArgument)
      try store.environment.flush()
    }
    try #require(unlink(copy + "/data.mdb") == 0)
    let store = try TestStore(path)
    try store.put("third", "value")
    #expect(try store.get("third") == "value")
  }

  @Test("a missing permission is reported")
  func permission() throws {
    try #require(chmod(file, 0) == 0)
    let expected: LMDBError.Code? = geteuid() == 0 ? nil : .permission
    #expect(try code { _ = try TestStore(path) } == expected)
  }
}
