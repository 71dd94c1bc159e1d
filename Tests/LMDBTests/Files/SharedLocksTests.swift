import LMDB
import TestSupport
import Testing

@Suite("Shared locks of a process") struct SharedLocksTests {
  private let directory: TemporaryDirectory
  private let locks: SharedLocks

  init() throws {
    directory = try TemporaryDirectory()
    locks = SharedLocks(directory.path + "/lock")
  }

  private func exclusive(_ byte: Int64) throws -> FileLock? {
    try FileLock.acquire(directory.path + "/lock", .exclusive, byte: byte)
  }

  @Test("exclude an exclusive lock until the last holder releases")
  func counting() throws {
    #expect(try locks.acquire(byte: 3) == .unconfirmed)
    #expect(try locks.acquire(byte: 3) == .unconfirmed)
    #expect(try exclusive(3) == nil)
    locks.release(byte: 3)
    #expect(try exclusive(3) == nil)
    locks.release(byte: 3)
    #expect(try exclusive(3) != nil)
  }

  @Test("do not touch other bytes")
  func bytes() throws {
    #expect(try locks.acquire(byte: 3) == .unconfirmed)
    #expect(try exclusive(4) != nil)
    #expect(try locks.acquire(byte: 5) == .unconfirmed)
    locks.release(byte: 5)
    #expect(try exclusive(5) != nil)
    #expect(try exclusive(3) == nil)
    locks.release(byte: 3)
  }

  @Test("are excluded by an exclusive lock, and free after it")
  func excluded() throws {
    var lock = try exclusive(1)
    #expect(lock != nil)
    #expect(try locks.acquire(byte: 1) == .excluded)
    lock = nil
    #expect(try locks.acquire(byte: 1) == .unconfirmed)
    locks.release(byte: 1)
  }

  @Test("stay confirmed while they are held, and no longer")
  func confirmation() throws {
    #expect(try locks.acquire(byte: 2) == .unconfirmed)
    locks.confirm(byte: 2)
    #expect(try locks.acquire(byte: 2) == .confirmed)
    locks.release(byte: 2)
    #expect(try locks.acquire(byte: 2) == .confirmed)
    locks.release(byte: 2)
    locks.release(byte: 2)
    #expect(try locks.acquire(byte: 2) == .unconfirmed)
    locks.release(byte: 2)
  }

  @Test("ignore the release and the confirmation of a byte that is not held")
  func unheld() throws {
    locks.release(byte: 9)
    locks.confirm(byte: 9)
    #expect(try locks.acquire(byte: 9) == .unconfirmed)
    locks.release(byte: 9)
  }

  @Test("are released when the object is deinitialized")
  func lifetime() throws {
    var other: SharedLocks? = SharedLocks(directory.path + "/lock")
    #expect(try other?.acquire(byte: 7) == .unconfirmed)
    #expect(try exclusive(7) == nil)
    other = nil
    #expect(try exclusive(7) != nil)
  }
}
