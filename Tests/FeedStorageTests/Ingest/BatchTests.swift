@_spi(Ingest) import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing
import Threading

@Suite("Batches of an ingest") struct BatchTests {
  private static let budget = 16 << 20
  private let feed: TestFeed
  private let environment: Environment
  private let writer: GenerationWriter

  init() throws {
    feed = try TestFeed()
    environment = try Environment.open(feed.directory.path + "/feeds", .init(tables: []))
    writer = try TestFeed.begin(feed.database)
  }

  /// Keeps the writer thread from writing until `resume` is called.
  private struct Pause {
    private let isOver = Monitor(false)
    private let write: PendingWrite<Void, LMDBError>

    init(of environment: Environment) {
      let isOver = isOver
      write = environment.submit { _ in isOver.wait { isOver in isOver ? () : nil } }
    }

    func resume() throws {
      isOver.withLock { isOver in isOver = true }
      try write.wait()
    }
  }

  private func append(_ count: Int = 1) throws {
    let value = String(repeating: "x", count: 1_000)
    for _ in 0..<count {
      try writer.append([TestFeed.Record(key: "key \(writer.recordCount)", value: value)])
    }
  }

  private var transactions: Int {
    get throws { try environment.statistics().lastTransaction }
  }

  @Test("grow while the writer thread is slower, so that few transactions are needed")
  func growth() throws {
    let before = try transactions
    let pause = Pause(of: environment)
    while writer.heldBytes < Self.budget - 1 << 20 { try append() }
    #expect(writer.batchesUnderWay == 2)
    try pause.resume()
    try writer.publish()
    // Two small batches, one batch with the rest, and the transactions of publishing.
    #expect(try transactions - before <= 6)
    #expect(try feed.all().count == writer.recordCount)
  }

  @Test("share one memory budget, whatever the speed of the writer thread")
  func sharedBudget() throws {
    for _ in 0..<4 {
      let pause = Pause(of: environment)
      while writer.heldBytes < Self.budget - 1 << 20 {
        try append()
        try #require(writer.batchesUnderWay <= 2)
      }
      try pause.resume()
      for _ in 0..<2_000 {
        try append()
        try #require(writer.heldBytes <= Self.budget)
        try #require(writer.batchesUnderWay <= 2)
      }
    }
    try writer.publish()
    #expect(try feed.all().count == writer.recordCount)
  }

  @Test(
    "shrink while the writer thread is idle, and release their memory once written")
  func shrinking() throws {
    let pause = Pause(of: environment)
    while writer.heldBytes < Self.budget - 1 << 20 { try append() }
    try pause.resume()
    var sizes: [Int] = []
    for _ in 0..<12 {
      while writer.batchesUnderWay == 0 { try append() }
      sizes.append(writer.heldBytes)
      while writer.batchesUnderWay > 0 {
        // Returns when all submitted writes are complete.
        try environment.write { (_: inout WriteTransaction) throws(LMDBError) in }
        try append(64)
      }
    }
    let last = try #require(sizes.last)
    #expect(last < 5 << 20)
    try writer.publish()
    #expect(writer.heldBytes == 0)
    #expect(try feed.all().count == writer.recordCount)
  }

  @Test("with a record larger than the budget are written before the next record is added")
  func hugeRecord() throws {
    try append(100)
    let value = String(repeating: "y", count: Self.budget + 1)
    try writer.append([TestFeed.Record(key: "huge", value: value)])
    try append()
    #expect(writer.batchesUnderWay == 0)
    #expect(writer.heldBytes < 1 << 20)
    try append(99)
    try writer.publish()
    #expect(try feed.values("huge") == [value])
  }
}
