import LMDB
import TestSupport
import Testing

@Suite struct FileLockTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/lock" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("an exclusive lock keeps everyone else out until it goes")
  func exclusive() throws {
    var lock = try FileLock.acquire(path, .exclusive)
    #expect(lock != nil)
    #expect(try FileLock.acquire(path, .shared) == nil)
    #expect(try FileLock.acquire(path, .exclusive) == nil)
    lock = nil
    #expect(try FileLock.acquire(path, .exclusive) != nil)
  }

  @Test("shared locks go together and keep exclusive ones out")
  func shared() throws {
    let first = try FileLock.acquire(path, .shared)
    let second = try FileLock.acquire(path, .shared)
    #expect(first != nil && second != nil)
    #expect(try FileLock.acquire(path, .exclusive) == nil)
    withExtendedLifetime((first, second)) {}
  }

  @Test("bytes of one file are locked apart")
  func bytes() throws {
    let lock = try FileLock.acquire(path, .exclusive, byte: 1 << 40)
    #expect(try FileLock.acquire(path, .exclusive, byte: 0) != nil)
    #expect(try FileLock.acquire(path, .exclusive, byte: 1 << 40) == nil)
    withExtendedLifetime(lock) {}
  }

  @Test("another process is kept out, and may in afterwards")
  func processes() throws {
    var lock = try FileLock.acquire(path, .exclusive)
    #expect(lock != nil)
    #expect(try Fork.run { !isFree })
    lock = nil
    #expect(try Fork.run { isFree })
  }

  private var isFree: Bool {
    do {
      return try FileLock.acquire(path, .exclusive) != nil
    } catch {
      return false
    }
  }

  @Test("a lock file in a missing directory is a typed error")
  func missingDirectory() throws {
    #expect(try code { _ = try FileLock.acquire(path + "/missing/lock", .shared) } == .notFound)
  }
}
