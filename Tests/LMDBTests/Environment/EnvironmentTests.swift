import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct EnvironmentTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/store" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("written data exist after closing and opening again")
  func persistence() throws {
    try TestStore(path).put("key", "value")
    #expect(try TestStore(path).get("key") == "value")
    #expect(directory.names() == ["store"])
  }

  @Test("an existing empty directory becomes the store")
  func emptyDirectory() throws {
    #expect(mkdir(path, 0o700) == 0)
    try TestStore(path).put("key", "value")
    #expect(directory.names(in: "store") == ["data.mdb", "lock.mdb"])
  }

  @Test("missing parent directories are created")
  func parents() throws {
    try TestStore(path + "/of/many/levels/").put("key", "value")
    #expect(directory.names(in: "store/of/many") == ["levels"])
  }

  @Test("a directory with other contents is refused and not changed")
  func foreignDirectory() throws {
    #expect(mkdir(path, 0o700) == 0)
    #expect(mkdir(path + "/mine", 0o700) == 0)
    #expect(try code { _ = try TestStore(path) } == .damaged)
    #expect(directory.names(in: "store") == ["mine"])
    #expect(directory.names() == ["store"])
  }

  @Test("a second open returns the same environment, even through a symbolic link")
  func registry() throws {
    let first = try TestStore(path)
    let link = directory.path + "/link"
    #expect(symlink(path, link) == 0)
    let second = try TestStore(link) { $0.durability = .full }
    #expect(first.environment === second.environment)
  }

  @Test("threads that open, use and release a store concurrently never see an incomplete store")
  func concurrentOpening() async throws {
    let path = path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<25 { try TestStore(path).put("\(task).\(round)", "value") }
        }
      }
      try await group.waitForAll()
    }
    let store = try TestStore(path)
    let count = try store.environment.read { transaction throws(LMDBError) in
      try transaction.count(store.table)
    }
    #expect(count == 100)
    #expect(directory.names() == ["store"])
  }

  @Test("the initial contents are written by the first transaction of a new store only")
  func initialize() throws {
    for value in ["first", "second"] {
      let store = try TestStore(path) { configuration in
        configuration.initialize = { transaction, tables throws(LMDBError) in
          try transaction.put(try tables.table("entries"), "origin", value)
        }
      }
      #expect(try store.get("origin") == "first")
    }
  }

  @Test("a store whose first transaction fails is not created")
  func failingInitialize() throws {
    let failure = try code {
      _ = try TestStore(path) { configuration in
        configuration.initialize = { _, _ throws(LMDBError) in
          throw LMDBError(.io, "no", path: nil)
        }
      }
    }
    #expect(failure == .io)
    #expect(directory.names() == [])
  }

  @Test("a table that is not in the configuration is not found")
  func unknownTable() throws {
    let store = try TestStore(path)
    #expect(try code { _ = try store.environment.table("other") } == .notFound)
  }

  @Test("a missing table among others is damage, and is not created again")
  func lostTable() throws {
    try TestStore(path).put("key", "value")
    for _ in 0..<2 {
      #expect(try code { _ = try TestStore(path) { $0.tables = ["entries", "lost"] } } == .damaged)
    }
    #expect(try TestStore(path).get("key") == "value")
  }

  @Test("a table of another environment is refused")
  func foreignTable() throws {
    let store = try TestStore(path)
    let other = try TestStore(directory.path + "/other")
    let failure = try code {
      _ = try store.environment.read { transaction throws(LMDBError) in
        try transaction.text(other.table, "key")
      }
    }
    #expect(failure == .invalidArgument)
  }

  @Test("the map is halved if the system refuses address space")
  func halvedMap() throws {
    let store = try TestStore(path) { $0.mapSize = 1 << 52 }
    #expect(store.environment.mapSize < 1 << 52)
    #expect(store.environment.mapSize >= 1 << 30)
    try store.put("key", "value")
    #expect(try store.get("key") == "value")
  }

  @Test("the map covers the file system, so that a process can open hundreds of environments")
  func manyMaps() throws {
    let stores = try (0..<160).map { try TestStore("\(path)-\($0)") }
    var status = statvfs()
    try #require(statvfs(directory.path, &status) == 0)
    let expected = min(max(Int(status.f_blocks) * Int(status.f_frsize), 1 << 34), 1 << 40)
    for store in stores {
      let mapSize = store.environment.mapSize
      #expect(mapSize >= expected && mapSize < 2 * expected)
    }
  }

  @Test("statistics count the file, its free pages and its readers")
  func statistics() throws {
    let store = try TestStore(path)
    try store.put("large", String(repeating: "x", count: 100_000))
    try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      _ = try transaction.delete(store.table, Array("large".utf8).span.bytes)
    }
    let statistics = try store.environment.statistics()
    #expect(statistics.freePages >= 25)
    #expect(statistics.pageSize > 0)
    #expect(statistics.fileBytes >= statistics.freePages * statistics.pageSize)
    #expect(statistics.readers.contains { $0.process == Int(getpid()) && $0.transaction != nil })
  }

  @Test("a private store is new each time, and leaves no files", arguments: [true, false])
  func ephemeral(isNamed: Bool) throws {
    var first: TestStore? = try TestStore(isNamed ? "/dev/null/store" : path) {
      $0.isEphemeral = !isNamed
    }
    let second = try TestStore(isNamed ? "/dev/null/store" : path) { $0.isEphemeral = !isNamed }
    try first?.put("key", "value")
    #expect(try first?.get("key") == "value")
    #expect(try second.get("key") == nil)
    let storePath = try #require(first?.environment.path)
    #expect(access(storePath, F_OK) == 0)
    first = nil
    #expect(access(storePath, F_OK) != 0)
    #expect(directory.names() == [])
  }

  @Test("a private store is removed at the exit of its process, even if it is in use")
  func inUseAtExit() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let store = try TestStore("/dev/null")
      try store.put("key", "value")
      #expect(access(store.environment.path, F_OK) == 0)
      print(store.environment.path)
      withExtendedLifetime(store) { exit(EXIT_SUCCESS) }
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let storePath = try #require(output.split(separator: "\n").first { $0.hasSuffix("/store") })
    #expect(access(String(storePath), F_OK) != 0)
  }

  @Test("files are private to the owner, or the group may read them")
  func permissions() throws {
    _ = try TestStore(path)
    #expect(mode("store") == 0o700)
    #expect(mode("store/data.mdb") == 0o600)
    #expect(mode("store/lock.mdb") == 0o600)
    let previous = umask(0o077)
    defer { umask(previous) }
    _ = try TestStore(directory.path + "/shared") { $0.sharing = .group }
    #expect(mode("shared") == 0o2770)
    #expect(mode("shared/data.mdb") == 0o640)
    #expect(mode("shared/lock.mdb") == 0o660)
  }

  private func mode(_ name: String) -> UInt32? {
    var status = stat()
    guard stat(directory.path + "/" + name, &status) == 0 else { return nil }
    return UInt32(status.st_mode) & 0o7777
  }

  @Test("a write that fails half way is reported, and the next one works on the reopened store")
  func panic() throws {
    let store = try TestStore(path) { $0.durability = .full }
    try store.put("key", "value")
    // The descriptor for LMDB's meta pages becomes a device that is always full.
    let meta = try #require(try metaDescriptor(of: path + "/data.mdb"))
    let full = open("/dev/full", O_WRONLY)
    #expect(dup2(full, meta) == meta)
    close(full)
    try store.environment.read { _ throws(LMDBError) in
      #expect((try? code { try store.put("lost", "value") }) != .some(nil))
      #expect((try? code { _ = try store.get("key") }) == .unusable)
      #expect((try? code { try store.put("other", "value") }) == .unusable)
    }
    try store.put("other", "value")
    #expect(try store.get("key") == "value")
    #expect(try store.get("other") == "value")
  }

  @Test("a started program inherits no descriptor of the store")
  func inheritance() throws {
    let store = try TestStore(path)
    try store.put("key", "value")
    let own = try descriptors(of: path + "/data.mdb") + descriptors(of: path + "/lock.mdb")
    #expect(own.count >= 3)
    for descriptor in own { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
  }

  /// LMDB's second descriptor of its data file, which writes the meta pages synchronously.
  private func metaDescriptor(of path: String) throws -> CInt? {
    try descriptors(of: path).last { fcntl($0, F_GETFL) & O_DSYNC != 0 }
  }

  private func descriptors(of path: String) throws -> [CInt] {
    var file = stat()
    try #require(stat(path, &file) == 0)
    return (3..<1024 as Range<CInt>).filter { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_ino == file.st_ino
        && status.st_dev == file.st_dev
    }
  }

  @Test("an error in a forked child asks to open the store again")
  func forked() throws {
    let store = try TestStore(path)
    try store.put("key", "value")
    let child = try Fork.run {
      let read = (try? code { _ = try store.get("key") }) == .forked
      let written = (try? code { try store.put("other", "value") }) == .forked
      let submitted = (try? code { try store.environment.submit { _ in }.wait() }) == .forked
      return read && written && submitted
    }
    #expect(child)
    #expect(try store.get("key") == "value")
  }
}
