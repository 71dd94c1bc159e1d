import FeedCore
import FeedStorage
import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite("A store that another process grows beyond the map of this process")
struct OutgrownMapTests {
  @Test("is read with its old and its new feeds")
  func lookups() throws {
    let workspace = try Workspace()
    let database = try Self.openSmallMap(in: workspace)
    let before = try keys(of: "old", database)
    #expect(before.count == 20_000)
    for key in before { try requireOne(key, in: "old", database) }
    try Self.outgrow(workspace)
    for key in before { try requireOne(key, in: "old", database) }
    let after = try keys(of: "new", database)
    #expect(after.count == 150_000)
    for _ in 0..<2 {
      for key in after.prefix(20_000) { try requireOne(key, in: "new", database) }
      for key in before { try requireOne(key, in: "old", database) }
    }
  }

  @Test("is read by threads that wait together for a reader of the small map")
  func waitingTogether() throws {
    let workspace = try Workspace()
    let database = try Self.openSmallMap(in: workspace)
    let begun = DispatchSemaphore(value: 0)
    let ended = DispatchGroup()
    let counts = Mutex<[Result<[Int], any Error>]>([])
    try database.forEachRecord(in: FeedName("old")) { _, position throws(StoreError) in
      guard position == 0 else { return true }
      do { try Self.outgrow(workspace) } catch { Issue.record(error) }
      // Threads of a queue would start one after the other while others are blocked, which takes
      // longer than the first of them waits.
      for _ in 0..<3 {
        ended.enter()
        Thread.detachNewThread {
          begun.signal()
          let result = Result { try database.feeds().map(\.recordCount) }
          counts.withLock { $0.append(result) }
          ended.leave()
        }
      }
      for _ in 0..<3 { begun.wait() }
      return false
    }
    ended.wait()
    for result in counts.withLock({ $0 }) { #expect(try result.get() == [150_000, 20_000]) }
  }

  #if canImport(Glibc)
    @Test("is not read while the system refuses a larger map, and is read once it permits one")
    func refused() async {
      await #expect(processExitsWith: .success) {
        InheritedSockets.close()
        let workspace = try Workspace()
        let database = try Self.openSmallMap(in: workspace)
        #expect(try database.feeds().count == 1)
        try Self.outgrow(workspace)
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
        try #require(getrlimit(resource, &limit) == 0)
        let usual = limit.rlim_cur
        limit.rlim_cur = rlim_t(try Self.addressSpace()) + (8 << 20)
        try #require(setrlimit(resource, &limit) == 0)
        for _ in 0..<3 {
          #expect(throws: StoreError.self) { try database.feeds() }
        }
        limit.rlim_cur = usual
        try #require(setrlimit(resource, &limit) == 0)
        #expect(try database.feeds().map(\.recordCount) == [150_000, 20_000])
      }
    }

    /// The bytes of address space of this process.
    private static func addressSpace() throws -> Int {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        .split(separator: " ").first.flatMap { Int($0) }
      return try #require(pages) * sysconf(Int32(_SC_PAGESIZE))
    }
  #endif

  /// Opens a store with a feed of 20 000 records in a map of 16 MiB.
  private static func openSmallMap(in workspace: Workspace) throws -> FeedDatabase {
    let old = try workspace.sample("feed", 20_000)
    #expect(try workspace.feedcore("ingest", old, "--feed", "old", "--quiet").status == 0)
    var options = FeedDatabase.Options()
    options.mapSize = 16 << 20
    return try FeedDatabase.open(at: workspace.store, options: options)
  }

  /// Lets another process write more records than fit into that map.
  private static func outgrow(_ workspace: Workspace) throws {
    let new = try workspace.sample("feed", 150_000, seed: 2)
    #expect(try workspace.feedcore("ingest", new, "--feed", "new", "--quiet").status == 0)
  }

  private func keys(of feed: String, _ database: FeedDatabase) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try database.forEachRecord(in: FeedName(feed)) { record, _ throws(StoreError) in
      keys.append(try Self.key(of: record))
      return true
    }
    return keys
  }

  private func requireOne(_ key: [UInt8], in feed: String, _ database: FeedDatabase) throws {
    var found: [[UInt8]] = []
    try database.forEachRecord(in: FeedName(feed), withKeyBytes: key.span.bytes) {
      record, _ throws(StoreError) in
      found.append(try Self.key(of: record))
      return true
    }
    try #require(found == [key])
  }

  private static func key(of record: RecordView) throws(StoreError) -> [UInt8] {
    do throws(RecordError) {
      guard let uuid = try record.uuid(1) else { return [] }
      return [uuid.high, uuid.low].flatMap { half in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
      }
    } catch {
      throw StoreError(error)
    }
  }
}
