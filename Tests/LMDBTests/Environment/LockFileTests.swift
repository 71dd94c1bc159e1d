import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a cleanup of "stale locks" does to an open environment.
@Suite("A removed lock.mdb")
struct LockFileTests {
  let directory: TemporaryDirectory
  let store: TestStore
  var lock: String { store.environment.path + "/lock.mdb" }

  init() throws {
    directory = try TemporaryDirectory()
    store = try TestStore(directory.path + "/store")
    try store.put("key", "old")
  }

  @Test("is recreated by the next write, and nothing is lost")
  func write() throws {
    for number in 0..<20 {
      #expect(unlink(lock) == 0)
      try store.put("key", "\(number)")
      #expect(access(lock, F_OK) == 0)
      #expect(try store.get("key") == "\(number)")
    }
  }

  @Test("is recreated when the environment is checked, and reads continue")
  func read() throws {
    #expect(unlink(lock) == 0)
    #expect(try store.get("key") == "old")
    #expect(!store.environment.isClosed)
    #expect(access(lock, F_OK) == 0)
    #expect(try store.get("key") == "old")
  }

  @Test("is not recreated by a write while an earlier read is in progress")
  func heldReader() throws {
    let store = try TestStore(directory.path + "/other") { $0.writerTimeout = .milliseconds(50) }
    try store.put("key", "old")
    let reader = try store.environment.readers.acquire()
    #expect(unlink(store.environment.path + "/lock.mdb") == 0)
    #expect(try code { try store.put("key", "new") } == .busy)
    #expect(try store.get("key") == "old")
    store.environment.readers.release(reader)
    try store.put("key", "new")
    #expect(try store.get("key") == "new")
  }

  @Test("does not close the environment for later openers")
  func reopened() throws {
    #expect(unlink(lock) == 0)
    try store.put("key", "new")
    let again = try TestStore(directory.path + "/store")
    #expect(again.environment === store.environment)
    #expect(try again.get("key") == "new")
  }
}
