#if Server
  import FeedCore
  import Testing

  @testable import FeedServer

  @Suite("The feeds that a RESP worker has read")
  struct KeyspaceTests {
    private let database: FeedDatabase
    private let store: ServedStore
    private let keyspace: Keyspace
    private let name: FeedName

    init() throws {
      database = try FeedDatabase.openPrivate()
      store = ServedStore(database)
      keyspace = Keyspace(store, policies: [:], cacheBytes: 1 << 20)
      name = try FeedName("feed")
      try database.insert([University](), into: name, referenceSeconds: 1)
      keyspace.begin()
      _ = try keyspace.slot(of: name)
    }

    private func generationsAfterSweep() throws -> Int {
      store.releaseReplacedFeeds()
      try database.sweep()
      return try database.storeStatistics().deadGenerations
    }

    @Test("keep their generation until the worker looks for replaced feeds")
    func replaced() throws {
      try database.insert([University](), into: name, referenceSeconds: 2)
      #expect(try generationsAfterSweep() == 1)
      keyspace.releaseReplacedFeeds()
      #expect(try generationsAfterSweep() == 0)
    }

    @Test("are released if the successor has another schema")
    func otherSuccessor() throws {
      try database.insert([Recipe](), into: name, referenceSeconds: 2)
      keyspace.releaseReplacedFeeds()
      #expect(try generationsAfterSweep() == 0)
    }

    @Test("are released with the last connection, and read again by the next")
    func idle() throws {
      keyspace.releaseFeeds()
      try database.insert([University](), into: name, referenceSeconds: 2)
      #expect(try generationsAfterSweep() == 0)
      keyspace.begin()
      let slot = try #require(try keyspace.slot(of: name))
      #expect(keyspace.valid(slot)?.description.referenceSeconds == 2)
    }
  }
#endif
