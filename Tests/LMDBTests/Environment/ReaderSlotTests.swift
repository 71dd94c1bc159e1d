import CLMDB
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// LMDB tells the readers of a store apart by the numbers of their processes.
@Suite("A process whose number is taken")
struct ReaderSlotTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/store" }

  init() throws {
    directory = try TemporaryDirectory()
    let store = try TestStore(path)
    try store.put("key", "value")
  }

  @Test("is refused as busy, with the cause and the remedy, and works once the number is free")
  func taken() throws {
    #expect(!Environment.isProcessNumberTaken(in: path))
    // A process of another PID namespace locks the same byte of the file.
    let descriptor = open(path + "/lock.mdb", O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    #expect(feedcore_lock_range(descriptor, CInt(F_WRLCK), Int64(getpid()), 1) == 0)
    #expect(Environment.isProcessNumberTaken(in: path))
    let error = #expect(throws: LMDBError.self) { try TestStore(path) }
    #expect(error?.code == .busy)
    for word in ["PID namespace", "\(getpid())", "--init"] {
      #expect(error?.message.contains(word) == true)
    }
    close(descriptor)
    #expect(!Environment.isProcessNumberTaken(in: path))
    #expect(try TestStore(path).get("key") == "value")
  }
}
