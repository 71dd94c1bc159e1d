import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct FileLockTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/lock" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("an exclusive lock excludes all others until it is released")
  func exclusive() throws {
    var lock = try FileLock.acquire(path, .exclusive)
    #expect(lock != nil)
    #expect(try FileLock.acquire(path, .shared) == nil)
    #expect(try FileLock.acquire(path, .exclusive) == nil)
    lock = nil
    #expect(try FileLock.acquire(path, .exclusive) != nil)
  }

  @Test("shared locks coexist and exclude exclusive ones")
  func shared() throws {
    let first = try FileLock.acquire(path, .shared)
    let second = try FileLock.acquire(path, .shared)
    #expect(first != nil && second != nil)
    #expect(try FileLock.acquire(path, .exclusive) == nil)
    withExtendedLifetime((first, second)) {}
  }

  @Test("a lock file in a directory of a group can be read and written by the group")
  func groupsDirectory() throws {
    let shared = directory.path + "/shared"
    try FileLock.createDirectory(shared, .group)
    let lock = try FileLock.acquire(shared + "/lock", .shared)
    var status = stat()
    #expect(stat(shared + "/lock", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
    withExtendedLifetime(lock) {}
  }

  @Test("a link at the path of a lock file is not followed")
  func link() throws {
    let other = directory.path + "/other"
    #expect(symlink(other, path) == 0)
    #expect(throws: LMDBError.self) { try FileLock.acquire(path, .shared) }
    #expect(directory.names() == ["lock"])
  }

  @Test("bytes of one file are locked independently")
  func bytes() throws {
    let lock = try FileLock.acquire(path, .exclusive, byte: 1 << 40)
    #expect(try FileLock.acquire(path, .exclusive, byte: 0) != nil)
    #expect(try FileLock.acquire(path, .exclusive, byte: 1 << 40) == nil)
    withExtendedLifetime(lock) {}
  }

  @Test("a lock names the process that holds it to other processes")
  func holder() throws {
    let lock = try FileLock.acquire(path, .exclusive, byte: 7, namesHolder: true)
    let process = getpid()
    // What the runtime sets up on first use must exist before the fork.
    _ = FileLock.holder(of: path, byte: 7)
    #expect(
      try Fork.child(seconds: 20) { FileLock.holder(of: path, byte: 7) == process ? 0 : 1 } == 0)
    #expect(try Fork.child(seconds: 20) { FileLock.holder(of: path) == nil ? 0 : 1 } == 0)
    withExtendedLifetime(lock) {}
    let unnamed = try FileLock.acquire(path, .exclusive, byte: 3)
    #expect(
      try Fork.child(seconds: 20) { FileLock.holder(of: path, byte: 3) == nil ? 0 : 1 } == 0)
    withExtendedLifetime(unnamed) {}
  }

  @Test("another process is excluded until the lock is released")
  func processes() throws {
    var lock = try FileLock.acquire(path, .exclusive)
    #expect(lock != nil)
    #expect(try Fork.run { !isFree })
    lock = nil
    #expect(try Fork.run { isFree })
  }

  #if canImport(Glibc)
    @Test("a released lock is free, although a forked process has its file open")
    func copied() throws {
      var lock = try FileLock.acquire(path, .exclusive)
      let copies = try openFiles().filter(isLockFile).map { dup($0) }
      defer { for copy in copies { close(copy) } }
      #expect(copies.count == 1)
      #expect(!isFree)
      withExtendedLifetime(lock) {}
      lock = nil
      #expect(isFree)
    }

    @Test("a forked process does not keep a lock after its parent has ended")
    func inherited() throws {
      let lock = try FileLock.acquire(path, .exclusive)
      #expect(try openFiles().filter(isLockFile).count == 1)
      let status = try Fork.child(seconds: 20) {
        (try? openFiles().filter(isLockFile).count).map { UInt8(clamping: $0) } ?? 99
      }
      #expect(status == 0)
      withExtendedLifetime(lock) {}
    }

    private func openFiles() throws -> [CInt] {
      let directory = try #require(opendir("/proc/self/fd"))
      defer { closedir(directory) }
      var descriptors: [CInt] = []
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
        }
        if let descriptor = CInt(name) { descriptors.append(descriptor) }
      }
      return descriptors
    }

    private func isLockFile(_ descriptor: CInt) -> Bool {
      var (file, open) = (stat(), stat())
      return stat(path, &file) == 0 && fstat(descriptor, &open) == 0
        && file.st_dev == open.st_dev && file.st_ino == open.st_ino
    }
  #endif

  @Test("a forked process cannot release its parent's lock")
  func forked() throws {
    nonisolated(unsafe) var lock = try FileLock.acquire(path, .exclusive)
    let status = try Fork.child(seconds: 20) {
      lock = nil
      return 0
    }
    #expect(status == 0)
    #expect(!isFree)
    withExtendedLifetime(lock) {}
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
