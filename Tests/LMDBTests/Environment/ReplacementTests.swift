import CLMDB
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct ReplacementTests {
  let directory: TemporaryDirectory
  var path: String { directory.path + "/store" }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("a compacted store is smaller, has the same data, and stays open as the same object")
  func compaction() throws {
    let store = try filled()
    try store.put("kept", "value")
    let before = try store.environment.statistics()
    try store.environment.compact()
    let after = try store.environment.statistics()
    #expect(after.fileBytes < before.fileBytes / 2)
    #expect(after.freePages == 0)
    #expect(try store.get("kept") == "value")
    try store.put("later", "value")
    #expect(try TestStore(path).environment === store.environment)
    #expect(try store.get("later") == "value")
    #expect(directory.names() == ["store"])
  }

  @Test("a link with the name of a leftover is removed, but not its target")
  func plantedLink() throws {
    let store = try filled()
    let other = directory.path + "/other"
    try TestStore(other).put("key", "value")
    // No process has this number.
    #expect(symlink(other, path + ".replacing.2147483647.1") == 0)
    try store.environment.compact()
    #expect(directory.names() == ["other", "store"])
    #expect(try TestStore(other).get("key") == "value")
  }

  @Test("a snapshot in progress sees its own data until it ends")
  func snapshot() throws {
    let store = try filled()
    try store.put("key", "old")
    try store.environment.read { transaction throws(LMDBError) in
      let outcome = try? code {
        try store.environment.compact()
        try store.put("key", "new")
      }
      #expect(outcome == .some(nil))
      #expect(try transaction.text(store.table, "key") == "old")
      #expect((try? store.get("key")) == "new")
    }
    #expect(try store.get("key") == "new")
  }

  @Test("the lock file has all its blocks before the new data are exchanged")
  func lockFile() throws {
    let store = try filled()
    var blocks: Int?
    try store.environment.compact { step throws(LMDBError) in
      guard step == .synchronized else { return }
      let made = directory.names().first { $0.hasPrefix("store.replacing.") } ?? ""
      var status = stat()
      guard stat("\(directory.path)/\(made)/lock.mdb", &status) == 0 else { return }
      blocks = Int(status.st_blocks)
    }
    // The unit is 512 bytes; the file has a header and 64 bytes for each reader.
    #expect(try #require(blocks) * 512 >= Environment.Configuration(tables: []).maximumReaders * 64)
    #expect(try store.get("kept") != nil)
  }

  @Test("a replacement keeps the permissions")
  func permissions() throws {
    let store = try TestStore(path) { $0.sharing = .group }
    try store.environment.compact()
    #expect(mode("store") == 0o2770)
    #expect(mode("store/data.mdb") == 0o640)
    #expect(mode("store/lock.mdb") == 0o660)
  }

  @Test("a writer that finds a file replaced without a record continues with the new one")
  func replacedWithoutRecord() throws {
    let store = try filled()
    // The paths are as a process leaves them if it is killed right after the exchange.
    let copy = directory.path + "/copy"
    try store.environment.backUp(to: copy)
    #expect(feedcore_exchange(copy, path) == 0)
    try store.put("key", "value")
    let fresh = try TestStore(path)
    #expect(fresh.environment === store.environment)
    #expect(try fresh.get("key") == "value")
  }

  @Test("a store that was moved away accepts no writes until another one is at its path")
  func movedAway() throws {
    let store = try filled()
    #expect(rename(path, path + ".away") == 0)
    #expect(try code { try store.put("key", "value") } == .closed)
    // Readers check the path from time to time.
    let deadline = ContinuousClock.now + .seconds(30)
    var failure: LMDBError.Code?
    while failure == nil, ContinuousClock.now < deadline {
      failure = try code { _ = try store.get("kept") }
    }
    #expect(failure == .closed)
    try TestStore(path).put("key", "value")
    #expect(try store.get("key") == "value")
    #expect(try store.get("kept") == nil)
  }

  @Test("a replacement that the user of a store rejects is not opened")
  func refused() throws {
    let store = try TestStore(path) { configuration in
      configuration.accept = { view, tables throws(LMDBError) in
        guard try view.text(try tables.table("entries"), "stranger") == nil else {
          throw LMDBError(.closed, "another one", path: nil)
        }
      }
    }
    try store.put("key", "own")
    let strange = directory.path + "/strange"
    try TestStore(strange).put("stranger", "value")
    #expect(feedcore_exchange(strange, path) == 0)
    #expect(try code { try store.put("key", "value") } == .closed)
    #expect(try TestStore(path).get("stranger") == "value")
  }

  @Test("a write that builds on a file is not applied to a file restored at its path")
  func lineage() throws {
    let store = try filled()
    let lineage = store.environment.lineage
    let backup = directory.path + "/backup"
    try store.environment.backUp(to: backup)
    let table = store.table
    let write = { [environment = store.environment] in
      try environment.submit(lineage: lineage) { transaction throws(LMDBError) in
        try transaction.put(table, "key", "value")
      }.wait()
    }
    try store.environment.compact()
    try write()
    try store.environment.restore(from: backup)
    #expect(try code(write) == .replaced)
    #expect(try store.get("key") == nil)
    #expect(store.environment.lineage != lineage)
  }

  @Test("the leftovers of a killed creator are removed, and those of a living one are not")
  func abandonedCreation() throws {
    // Named after this process, whose number a killed process may have had before.
    #expect(mkdir(path + ".creating.\(getpid()).1", 0o700) == 0)
    let locked = path + ".creating.\(getpid()).2"
    #expect(mkdir(locked, 0o700) == 0)
    let descriptor = open(locked, O_RDONLY)
    defer { close(descriptor) }
    #expect(feedcore_lock_directory(descriptor, 1) == 0)
    _ = try TestStore(path)
    #expect(directory.names() == ["store", "store.creating.\(getpid()).2"])
  }

  @Test("a directory that was moved away is moved back, whatever number its process had")
  func putBack() throws {
    do { try TestStore(path).put("key", "value") }
    // A process of a restarted container has the number of the one that was killed in it.
    #expect(rename(path, path + ".replaced.\(getpid()).7") == 0)
    #expect(try TestStore(path).get("key") == "value")
    #expect(directory.names() == ["store"])
  }

  @Test("while a process has moved the store away, no empty store is created at its path")
  func heldHalfWay() throws {
    do { try TestStore(path).put("key", "value") }
    let away = path + ".replaced.1.7"
    #expect(rename(path, away) == 0)
    let descriptor = open(away, O_RDONLY)
    #expect(feedcore_lock_directory(descriptor, 1) == 0)
    #expect(try code { _ = try TestStore(path) } == .busy)
    #expect(directory.names() == ["store.replaced.1.7"])
    close(descriptor)
    #expect(try TestStore(path).get("key") == "value")
  }

  @Test(
    "after a kill at any step, the store is complete and has all written data",
    arguments: Environment.ReplacementStep.allCases, [true, false])
  func killPoints(step: Environment.ReplacementStep, exchanges: Bool) throws {
    let store = try filled()
    try store.put("key", "value")
    let parent = directory.path
    let image = try TemporaryDirectory()
    try store.environment.compact(exchanges: exchanges) { reached throws(LMDBError) in
      guard reached == step else { return }
      guard (try? Image.take(of: parent, in: image.path)) != nil else {
        throw LMDBError(.io, "no image of \(step)", path: parent)
      }
    }
    #expect(try store.get("key") == "value")
    guard step != .movedAway || !exchanges else { return }
    // The leftovers of a killed process, as another process sees them.
    let left = try TestStore(image.path + "/store")
    #expect(try left.get("key") == "value")
    #expect(try left.get("kept")?.utf8.count == 1000)
    try left.environment.compact()
    #expect(try left.get("key") == "value")
    #expect(image.names() == ["store"])
  }

  /// A store with mostly free pages.
  private func filled() throws -> TestStore {
    let store = try TestStore(path)
    try store.put("kept", String(repeating: "k", count: 1000))
    try store.put("large", String(repeating: "x", count: 1_000_000))
    try store.environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      _ = try transaction.delete(store.table, Array("large".utf8).span.bytes)
    }
    return store
  }

  private func mode(_ name: String) -> UInt32? {
    var status = stat()
    guard stat(directory.path + "/" + name, &status) == 0 else { return nil }
    return UInt32(status.st_mode) & 0o7777
  }
}
