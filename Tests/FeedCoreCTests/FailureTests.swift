import CFeedCore
import FeedCoreC
import FeedRecord
import FeedStorage
import Foundation
import LMDB
import TestSupport
import Testing

/// External failures: a full, inaccessible or damaged file, or another program's store.
@Suite("Failures reported to C")
struct FailureTests {
  private func open(_ path: String, _ flags: UInt32 = 0) -> (status: feedcore_status, String) {
    var store: OpaquePointer?
    let outcome = outcome { feedcore_store_open(path, path.utf8.count, flags, &store, $0) }
    #expect((store == nil) == (outcome.status != FEEDCORE_OK))
    feedcore_store_close(store)
    return outcome
  }

  @Test("an ingest that does not fit into the map leaves the old feed unchanged")
  func diskFull() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    // Handles of a store in one process share its map, whoever opened it first.
    var options = FeedDatabase.Options()
    options.mapSize = 4 << 20
    let database = try FeedDatabase.open(at: directory.path, options: options)
    let store = try CStore(in: directory)
    try store.ingest(Documents.many(5))
    let (_, status, message) = try store.push(
      Documents.many(40_000, note: String(repeating: "long ", count: 50)))
    #expect(status == FEEDCORE_DISK_FULL)
    #expect(message.contains(directory.path))
    #expect(store.recordCount(of: "universities") == 5)
    #expect(try database.feeds().count == 1)
  }

  @Test("a record whose block is damaged is not read")
  func damagedBlock() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    do {
      let store = try CStore(in: directory)
      try store.ingest(Documents.universities)
    }
    let file = URL(filePath: directory.path + "/feeds/data.mdb")
    var bytes = try Data(contentsOf: file)
    let range = try #require(bytes.range(of: Data("Brazil".utf8)))
    bytes[range.lowerBound] ^= 1
    try bytes.write(to: file)
    let store = try CStore(in: directory)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    let found = outcome { feedcore_get(reader, "Ege", 3, $0) }
    #expect(found.status == FEEDCORE_DAMAGED)
    #expect(found.message.contains("damaged"))
    #expect(outcome { feedcore_next(reader, $0) }.status == FEEDCORE_DAMAGED)
    #expect(text(reader, "name") == nil)
  }

  @Test("a scan returns each record before a damaged block once, and then the error")
  func damagedLater() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    do {
      let store = try CStore(in: directory)
      try store.ingest(Documents.many(20_000))
    }
    let file = URL(filePath: directory.path + "/feeds/data.mdb")
    var bytes = try Data(contentsOf: file)
    let range = try #require(bytes.range(of: Data("p15000".utf8)))
    bytes[range.lowerBound] ^= 1
    try bytes.write(to: file)
    let store = try CStore(in: directory)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    var count = 0
    while feedcore_next(reader, nil) == FEEDCORE_OK {
      try #require(text(reader, "name") == "U\(count)")
      count += 1
    }
    #expect((10_000...15_000).contains(count))
    let next = outcome { feedcore_next(reader, $0) }
    #expect(next.status == FEEDCORE_DAMAGED && next.message.contains("damaged"))
    #expect(text(reader, "name") == nil)
  }

  @Test("a file that is not a store is reported as damaged")
  func noStore() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    do { _ = try CStore(in: directory) }
    let file = URL(filePath: directory.path + "/feeds/data.mdb")
    try Data(repeating: 0xA5, count: 100_000).write(to: file)
    #expect(open(directory.path, FEEDCORE_CREATE).status == FEEDCORE_DAMAGED)
  }

  @Test("a store of a newer version is not changed")
  func incompatible() throws {
    let store = try CStore()
    let environment = try Environment.open(
      store.directory.path + "/feeds", .init(tables: ["meta"]))
    let table = try environment.table("meta")
    // "FCST", version 255, an environment id, and the checksum of these.
    var row: [UInt8] = [0x46, 0x43, 0x53, 0x54, 255, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    let checksum = KeyHash.hash(row.span.bytes)
    withUnsafeBytes(of: checksum.littleEndian) { row += $0 }
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(table, Array("format".utf8).span.bytes, row.span.bytes)
    }
    let (status, message) = open(store.directory.path)
    #expect(status == FEEDCORE_INCOMPATIBLE)
    #expect(message.contains("255"))
  }

  @Test("a scan whose generation a restored store lacks must start again")
  func replaced() throws {
    let store = try CStore()
    let backup = try TemporaryDirectory(inMemory: true)
    try store.ingest(Documents.many(10))
    let database = try FeedDatabase.open(at: store.directory.path)
    _ = try database.backUp(to: backup.path + "/backup")
    try store.ingest(Documents.many(20_000))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    _ = try FeedDatabase.restore(store.directory.path, from: backup.path + "/backup")
    var last = feedcore_next(reader, nil)
    while last == FEEDCORE_OK { last = feedcore_next(reader, nil) }
    #expect(last == FEEDCORE_REPLACED)
    #expect(feedcore_rewind(reader, 0, nil) == FEEDCORE_OK)
    var count = 0
    while feedcore_next(reader, nil) == FEEDCORE_OK { count += 1 }
    #expect(count == 10)
  }

  @Test("in a forked child the handles of the parent are refused")
  func forked() throws {
    let store = try CStore()
    try store.ingest(Documents.universities)
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    let isRefused = try Fork.run {
      var feeds: OpaquePointer?
      return feedcore_feeds_list(store.handle, &feeds, nil) == FEEDCORE_FORKED && feeds == nil
        && feedcore_get(reader, "Ege", 3, nil) == FEEDCORE_FORKED
        && feedcore_next(reader, nil) == FEEDCORE_FORKED
    }
    #expect(isRefused)
    #expect(feedcore_get(reader, "Ege", 3, nil) == FEEDCORE_OK)
  }

  @Test("a forked child cannot use the parent's ingest and closes it without waiting")
  func forkedWork() throws {
    let store = try CStore()
    try store.ingest(Documents.many(1_000))
    let reader = try store.reader("universities")
    defer { feedcore_reader_close(reader) }
    // The reader has read ahead.
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    var ingest: OpaquePointer?
    try "other".withCString { name in
      var options = feedcore_ingest_options.initial
      options.feed = name
      options.feed_length = 5
      try #require(feedcore_ingest_begin(store.handle, &options, &ingest, nil) == FEEDCORE_OK)
    }
    // The document is large enough that blocks are queued for the writer's thread.
    let document = Array(Documents.many(50_000).utf8.dropLast(100))
    try #require(feedcore_ingest_push(ingest, document, document.count, nil) == FEEDCORE_OK)
    let handle = ingest
    let status = try Fork.child(seconds: 20) {
      let isRefused =
        feedcore_next(reader, nil) == FEEDCORE_FORKED
        && feedcore_ingest_push(handle, "x", 1, nil) == FEEDCORE_FORKED
        && feedcore_ingest_cancel(handle) == FEEDCORE_OK
        && feedcore_reader_close(reader) == FEEDCORE_OK
        && feedcore_store_close(store.handle) == FEEDCORE_OK
      return isRefused ? 0 : 1
    }
    #expect(status == 0)
    #expect(feedcore_next(reader, nil) == FEEDCORE_OK)
    #expect(feedcore_ingest_cancel(ingest) == FEEDCORE_OK)
  }

  @Test("a refusal of the file system is reported as permission denied")
  func permission() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let sealed = directory.path + "/sealed"
    mkdir(sealed, 0)
    let (status, message) = try withoutPrivileges { open(sealed + "/store", FEEDCORE_CREATE) }
    #expect(status == FEEDCORE_PERMISSION)
    #expect(message.contains(sealed))
  }
}

/// Runs a body as a user without access to any file, on this thread only.
private func withoutPrivileges<Result>(_ body: () throws -> Result) throws -> Result {
  guard geteuid() == 0 else { return try body() }
  // Linux has `setfsuid`, but Swift does not import it.
  let symbol = try #require(dlsym(dlopen(nil, RTLD_NOW), "setfsuid"))
  let setfsuid = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
  _ = setfsuid(65534)
  defer { _ = setfsuid(0) }
  return try body()
}
