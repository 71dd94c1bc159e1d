import LMDB
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct TransactionTests {
  let directory: TemporaryDirectory
  let store: TestStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try TestStore(directory.path + "/store") { $0.mapSize = 4 << 20 }
  }

  struct Refusal: LMDBErrorConvertible, Equatable {
    var code: LMDBError.Code?
    init() {}
    init(_ error: LMDBError) { code = error.code }
  }

  @Test("a write that throws changes nothing, and the caller receives its error")
  func abort() throws {
    #expect(throws: Refusal()) {
      try store.environment.write { (transaction: inout WriteTransaction) throws(Refusal) in
        do throws(LMDBError) {
          try transaction.put(store.table, "key", "value")
        } catch {
          throw Refusal(error)
        }
        throw Refusal()
      }
    }
    #expect(try store.get("key") == nil)
  }

  @Test("a reader sees its snapshot while others write")
  func snapshot() throws {
    try store.put("key", "old")
    try store.environment.read { transaction throws(LMDBError) in
      let environment = store.environment
      let table = store.table
      let write = environment.submit { transaction throws(LMDBError) in
        try transaction.put(table, "key", "new")
      }
      try write.wait()
      #expect(try transaction.text(table, "key") == "old")
    }
    #expect(try store.get("key") == "new")
  }

  @Test("a table reader returns the value of a key, and nothing for a missing key")
  func tableReader() throws {
    try store.put("key", "value")
    try store.environment.read { transaction throws(LMDBError) in
      let reader = TableReader(transaction, store.table)
      let (key, missing) = (Array("key".utf8), Array("keys".utf8))
      var found: [UInt8] = []
      if let value = try reader.get(key.span.bytes) { found = Array(copying: value) }
      if try reader.get(missing.span.bytes) != nil { Issue.record("a key that was never put") }
      #expect(found == Array("value".utf8))
    }
  }

  @Test("submitted writes run in order")
  func order() throws {
    let table = store.table
    let writes = (0..<50).map { number in
      store.environment.submit { transaction throws(LMDBError) in
        try transaction.put(table, "key", "\(number)")
      }
    }
    for write in writes { try write.wait() }
    #expect(try store.get("key") == "49")
  }

  @Test("a write can be awaited")
  func asynchronous() async throws {
    let table = store.table
    let length = try await store.environment.write { transaction throws(LMDBError) in
      try transaction.put(table, "key", "value")
      return try transaction.get(table, Array("key".utf8).span.bytes)?.byteCount
    }
    #expect(length == 5)
  }

  @Test("a write inside a write is refused, and so is waiting for one")
  func reentrance() throws {
    let environment = store.environment
    let codes = try environment.write { (_: inout WriteTransaction) throws(LMDBError) in
      let nested = try? code { try store.put("key", "value") }
      let waiting = try? code { try environment.submit { _ in }.wait() }
      return [nested, waiting]
    }
    #expect(codes == [.reentrantWrite, .reentrantWrite])
  }

  @Test("a write inside a write is refused, even with another environment's write between them")
  func reentranceThroughAnother() throws {
    let (outer, inner) = (store, try TestStore(directory.path + "/inner"))
    var refusals: [LMDBError.Code?] = []
    try outer.environment.write { (_: inout WriteTransaction) throws(LMDBError) in
      try inner.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        try transaction.put(inner.table, "key", "value")
        refusals.append(try? code { try outer.put("key", "value") })
        refusals.append(try? code { try outer.environment.submit { _ in }.wait() })
      }
    }
    #expect(refusals == [.reentrantWrite, .reentrantWrite])
    #expect(try inner.get("key") == "value")
    try outer.put("key", "value")
  }

  @Test("a write transaction is refused on another thread, and stays usable on its own")
  func otherThread() throws {
    let inner = try TestStore(directory.path + "/inner")
    let (environment, table) = (store.environment, store.table)
    var refusals: [LMDBError.Code?] = []
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(table, "before", "value")
      try inner.environment.write { (_: inout WriteTransaction) throws(LMDBError) in
        refusals.append(try? code { try transaction.put(table, "key", "value") })
        refusals.append(try? code { _ = try transaction.delete(table, [1].span.bytes) })
        refusals.append(
          try? code {
            try transaction.deleteEntries(in: table, from: [1].span.bytes) { _, _ in true }
          })
        refusals.append(try? code { _ = try transaction.get(table, [1].span.bytes) })
      }
      try transaction.put(table, "after", "value")
    }
    #expect(refusals == Array(repeating: .wrongThread, count: 4))
    #expect(try store.get("before") == "value" && store.get("after") == "value")
    #expect(try store.get("key") == nil)
  }

  @Test(
    "bodies of waiting, awaiting and submitting callers run on one thread; reading starts none")
  func oneThread() async throws {
    let (environment, table) = (store.environment, store.table)
    #expect(try store.get("key") == nil)
    #expect(!environment.hasWriterThread)
    let threads = Mutex<Set<UInt64>>([])
    let body = { @Sendable (transaction: inout WriteTransaction) throws(LMDBError) in
      threads.withLock { _ = $0.insert(CurrentThread.identifier) }
      let key = Array("key".utf8)
      let count = try transaction.get(table, key.span.bytes)?.byteCount ?? 0
      try transaction.put(table, "key", String(repeating: "x", count: count + 1))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<60 {
        group.addTask(priority: task.isMultiple(of: 2) ? .high : .background) {
          switch task % 3 {
          case 0: try await environment.write(body)
          case 1: try environment.submit(body).wait()
          default: try Self.wait(environment, body)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(environment.hasWriterThread)
    #expect(threads.withLock { $0.count } == 1)
    #expect(threads.withLock { !$0.contains(CurrentThread.identifier) })
    #expect(try store.get("key")?.count == 60)
  }

  private static func wait(
    _ environment: Environment, _ body: (inout WriteTransaction) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    try environment.write(body)
  }

  @Test("an awaited write throws its body's error, and the next one succeeds")
  func awaitedError() async throws {
    let table = store.table
    await #expect(throws: Refusal()) {
      try await store.environment.write { transaction throws(Refusal) in
        do throws(LMDBError) {
          try transaction.put(table, "key", "value")
        } catch {
          throw Refusal(error)
        }
        throw Refusal()
      }
    }
    #expect(try store.get("key") == nil)
    try await store.environment.write { transaction throws(LMDBError) in
      try transaction.put(table, "key", "value")
    }
    #expect(try store.get("key") == "value")
  }

  @Test("an awaited write completes, even if nothing else references the environment")
  func awaitedLast() async throws {
    let path = directory.path + "/brief"
    for number in 0..<20 {
      try await write("\(number)", TestStore(path))
      #expect(try TestStore(path).get("key") == "\(number)")
    }
  }

  private func write(_ text: String, _ store: consuming TestStore) async throws {
    let (environment, table) = (store.environment, store.table)
    try await environment.write { transaction throws(LMDBError) in
      try transaction.put(table, "key", text)
    }
  }

  @Test("a write may read committed data")
  func readInsideWrite() throws {
    try store.put("key", "old")
    let environment = store.environment
    let text = try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(store.table, "key", "new")
      return (try? store.get("key")) ?? nil
    }
    #expect(text == "old")
  }

  @Test("a full map is reported, even if the body ignores it, and the store stays usable")
  func mapFull() throws {
    let large = String(repeating: "x", count: 8 << 20)
    let failure = try code {
      try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        do throws(LMDBError) { try transaction.put(store.table, "large", large) } catch {}
        do throws(LMDBError) { try transaction.put(store.table, "small", "x") } catch {
          #expect(error.code == .mapFull)
        }
      }
    }
    #expect(failure == .mapFull)
    try store.put("key", "value")
    #expect(try store.get("key") == "value")
    #expect(try store.get("small") == nil)
  }

  @Test("after a full map, the next write can use the space of deleted entries")
  func roomAfterDeleting() throws {
    // Values of one size, so that each can use the space of another.
    let value = String(repeating: "x", count: 40_000)
    var next = 0
    for _ in 0..<10 {
      while try code({ try store.put("key \(next)", value) }) == nil { next += 1 }
      try change(next - 30..<next - 10) { transaction, key throws(LMDBError) in
        _ = try transaction.delete(store.table, Array(key.utf8).span.bytes)
      }
      try change(next - 30..<next - 20) { transaction, key throws(LMDBError) in
        try transaction.put(store.table, key, value)
      }
    }
  }

  private func change(
    _ numbers: some Sequence<Int>,
    _ body: (inout WriteTransaction, String) throws(LMDBError) -> Void
  ) throws {
    try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      for number in numbers { try body(&transaction, "key \(number)") }
    }
  }

  @Test("one write changes a bounded number of entries, and no more is committed")
  func operations() throws {
    let store = try TestStore(directory.path + "/large")
    let failure = try code { try put(5_001, bytes: 1, store) }
    #expect(failure == .transactionFull)
    #expect(try store.get("key 0") == nil)
    try put(5_000, bytes: 1, store)
    let deletion = try code {
      try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        try transaction.put(store.table, "key", "value")
        let first = Array("key".utf8)
        try transaction.deleteEntries(in: store.table, from: first.span.bytes) { _, _ in true }
      }
    }
    #expect(deletion == .transactionFull)
    #expect(try store.get("key 0") != nil)
  }

  @Test("one write sets a bounded number of bytes in addition to its largest value")
  func bytes() throws {
    let store = try TestStore(directory.path + "/large")
    #expect(try code { try put(34, bytes: 1 << 20, store) } == .transactionFull)
    #expect(try store.get("key 0") == nil)
    try put(33, bytes: 1 << 20, store)
    try put(1, bytes: 40 << 20, store)
  }

  private func put(_ count: Int, bytes: Int, _ store: TestStore) throws {
    let value = String(repeating: "v", count: bytes)
    try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      for number in 0..<count { try transaction.put(store.table, "key \(number)", value) }
    }
  }

  @Test("a key that LMDB cannot hold is a typed error", arguments: [0, 512])
  func invalidKey(length: Int) throws {
    let failure = try code { try store.put(String(repeating: "k", count: length), "value") }
    #expect(failure == .invalidArgument)
  }

  @Test("a full reader table is reported, and reading works again when a slot is free")
  func readersFull() throws {
    let store = try TestStore(directory.path + "/few") { $0.maximumReaders = 2 }
    try store.environment.read { _ throws(LMDBError) in
      try store.environment.read { _ throws(LMDBError) in
        #expect((try? code { _ = try store.get("key") }) == .readersFull)
      }
    }
    #expect(try store.get("key") == nil)
  }

  @Test("slots of killed readers are reused, although the store is open in another process")
  func killedReaders() throws {
    let path = directory.path + "/killed"
    var store: TestStore? = try TestStore(path) { $0.maximumReaders = 2 }
    let lockFile = path + "/lock.mdb"
    var table: [UInt8] = []
    try store?.environment.read { _ throws(LMDBError) in
      try store?.environment.read { _ throws(LMDBError) in table = bytes(of: lockFile) }
    }
    store = nil
    try #require(table.count == 256)
    // The readers follow the header, each with a snapshot and a process number. The number is
    // replaced by one that no process has.
    for slot in [128, 192] {
      let process = slot + 8..<slot + 12
      #expect(Array(table[process]) == withUnsafeBytes(of: getpid()) { Array($0) })
      table.replaceSubrange(process, with: [255, 255, 255, 127])
    }
    let file = try #require(fopen(lockFile, "r+"))
    #expect(fwrite(table, 1, table.count, file) == table.count)
    fclose(file)
    // The only opener clears the table, so another process must appear to have it open.
    let attached = try #require(try FileLock.acquire(lockFile, .shared))
    #expect(try TestStore(path) { $0.maximumReaders = 2 }.get("key") == nil)
    withExtendedLifetime(attached) {}
  }

  private func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }

  @Test("the last reference may be released inside a write")
  func closingOnWriterThread() throws {
    let path = directory.path + "/brief"
    var brief: TestStore? = try TestStore(path)
    let environment = brief?.environment
    let table = try #require(brief?.table)
    brief = nil
    try closeInWrite(environment, table)
    #expect(try TestStore(path).get("key") == "value")
  }

  private func closeInWrite(_ environment: consuming Environment?, _ table: Table) throws {
    let write = environment?.submit { [environment] transaction throws(LMDBError) in
      try transaction.put(table, "key", "value")
      withExtendedLifetime(environment) {}
    }
    environment = nil
    try write?.wait()
  }
}
