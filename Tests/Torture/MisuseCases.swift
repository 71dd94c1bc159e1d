import FeedCore
import FeedStorage
import Foundation
import LMDB
import Synchronization
import TestSupport

extension Misuse {
  static var cases: [Case] {
    [
      Case("fork", fork), Case("double open through a symbolic link", openThroughSymbolicLink),
      Case("double open through a hard link", openThroughHardLink),
      Case("nested write", writeInWrite), Case("awaited write in a write", awaitInWrite),
      Case("ingest in an ingest", ingestInIngest), Case("delete in a scan", deleteInScan),
      Case("writes from many threads", writeFromThreads),
      Case("use after the end", useAfterEnd), Case("removed directory", useRemoved),
    ]
  }

  // MARK: Another process, another path

  private static func fork(_ misused: MisusedStore) throws {
    let file = try misused.payload(MisusedStore.other)
    let parent = getpid()
    let isRefused = try Fork.run {
      // Called in the parent first.
      guard getpid() != parent else { return true }
      do {
        try MisusedStore.require(.forked) { _ = try misused.database.feeds() }
        try MisusedStore.require(.forked) { try misused.database.delete(misused.feed) }
        try MisusedStore.require(.forked) { _ = try misused.database.ingest([file]) }
        try MisusedStore.require(.forked) {
          _ = try FeedDatabase.open(at: misused.store).feeds()
        }
        return true
      } catch {
        FileHandle.standardError.write(Data("in the child: \(error)\n".utf8))
        return false
      }
    }
    try demand(isRefused, "a forked child may use the store")
    try misused.requireWhole()
  }

  private static func openThroughSymbolicLink(_ misused: MisusedStore) throws {
    let link = misused.directory + "/link"
    try demand(symlink(misused.store, link) == 0, "cannot make a symbolic link")
    try useTwice(misused, link)
  }

  /// Only the data file has two names, each with its own lock file next to it. The store is read
  /// under both names and written under neither.
  private static func openThroughHardLink(_ misused: MisusedStore) throws {
    let copy = misused.directory + "/copy"
    try FileManager.default.createDirectory(
      atPath: copy + "/feeds", withIntermediateDirectories: true)
    let name = copy + "/feeds/data.mdb"
    try demand(link("\(misused.store)/feeds/data.mdb", name) == 0, "cannot make a hard link")
    let second = try FeedDatabase.open(at: copy)
    try requireOne(misused.store, copy)
    for database in [misused.database, second] {
      let found = try FeedReading.all(database, misused.feed)
      try demand(found == [MisusedStore.batch], "the feed holds \(found)")
      try MisusedStore.require(.misuse) { try database.delete(misused.feed) }
      try MisusedStore.require(.misuse) {
        try misused.ingest(MisusedStore.other, as: misused.feed, into: database)
      }
    }
    let status = try misused.command(["delete", "\(misused.feed)", "--store", copy])
    try demand(status == 64, "another process that deletes a feed ended with \(status)")
    unlink(name)
    try misused.requireWhole()
  }

  /// Requires that all paths lead to one environment.
  private static func requireOne(_ paths: String...) throws {
    let environments = try paths.map { directory in
      try Environment.open(directory + "/feeds", Environment.Configuration(tables: []))
    }
    try demand(environments[0] === environments[1], "LMDB is opened twice in one process")
  }

  /// Either the second path is refused, or both are one store in every respect.
  private static func useTwice(_ misused: MisusedStore, _ path: String) throws {
    let second: FeedDatabase
    do {
      second = try FeedDatabase.open(at: path)
    } catch {
      return try misused.requireWhole()
    }
    try requireOne(misused.store, path)
    var failure: (any Error)?
    // An ingest through the second path sweeps, and must not remove the generation in progress.
    try misused.ingest(MisusedStore.other, as: misused.feed) {
      do {
        try misused.ingest(MisusedStore.batch, as: FeedName("between"), into: second)
        try MisusedStore.require(.busy) {
          try misused.ingest(MisusedStore.batch, as: misused.feed, into: second)
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    try misused.requireWhole(MisusedStore.other)
    try demand(
      try FeedReading.all(second, misused.feed) == [MisusedStore.other], "the second path differs")
  }

  // MARK: Nested calls

  private static func open(_ misused: MisusedStore) throws -> (Environment, Table) {
    let environment = try Environment.open(
      misused.directory + "/plain", Environment.Configuration(tables: ["entries"]))
    return (environment, try environment.table("entries"))
  }

  private static func writeInWrite(_ misused: MisusedStore) throws {
    let (environment, table) = try open(misused)
    let key: [UInt8] = [1]
    let error = try MisusedStore.error {
      try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
        try transaction.put(table, key.span.bytes, key.span.bytes)
        try environment.write { (inner: inout WriteTransaction) throws(LMDBError) in
          try inner.put(table, key.span.bytes, key.span.bytes)
        }
      }
    }
    try demand((error as? LMDBError)?.code == .reentrantWrite, "got: \(error)")
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      _ = try transaction.delete(table, key.span.bytes)
    }
  }

  private static func awaitInWrite(_ misused: MisusedStore) throws {
    let (environment, table) = try open(misused)
    let key: [UInt8] = [2]
    let error = try MisusedStore.error {
      try environment.write { (_: inout WriteTransaction) throws(LMDBError) in
        let write = environment.submit { inner throws(LMDBError) in
          try inner.put(table, key.span.bytes, key.span.bytes)
        }
        try write.wait()
      }
    }
    try demand((error as? LMDBError)?.code == .reentrantWrite, "got: \(error)")
  }

  private static func ingestInIngest(_ misused: MisusedStore) throws {
    var failure: (any Error)?
    try misused.ingest(MisusedStore.other, as: misused.feed) {
      do {
        try MisusedStore.require(.busy) {
          try misused.ingest(MisusedStore.batch, as: misused.feed)
        }
        try MisusedStore.require(.busy) { try misused.database.delete(misused.feed) }
        try misused.ingest(MisusedStore.batch, as: FeedName("between"))
      } catch { failure = error }
    }
    if let failure { throw failure }
    try misused.requireWhole(MisusedStore.other)
  }

  private static func deleteInScan(_ misused: MisusedStore) throws {
    var count = 0
    var failure: (any Error)?
    try misused.database.forEachRecord(in: misused.feed) { (_, _) throws(StoreError) in
      count += 1
      guard count == 10 else { return true }
      do {
        try misused.database.delete(misused.feed)
        try misused.ingest(MisusedStore.other, as: misused.feed)
      } catch { failure = error }
      return true
    }
    if let failure { throw failure }
    try demand(count == MisusedStore.batch.count, "the scan ended after \(count) records")
    try misused.requireWhole(MisusedStore.other)
  }

  private static func writeFromThreads(_ misused: MisusedStore) throws {
    let failures = Mutex<[String]>([])
    let file = try misused.payload(MisusedStore.other)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        for _ in 0..<5 {
          var options = IngestOptions()
          options.feed = try FeedName("feed\(number % 4)")
          options.waits = true
          _ = try misused.database.ingest([file], options: options)
          _ = try misused.database.feeds()
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    let all = failures.withLock { $0 }
    try demand(all.isEmpty, all.joined(separator: "; "))
    for number in 0..<4 {
      let found = try FeedReading.all(misused.database, FeedName("feed\(number)"))
      try demand(found == [MisusedStore.other], "feed\(number) holds \(found)")
    }
    try misused.requireWhole()
  }

  // MARK: After the end

  private static func useAfterEnd(_ misused: MisusedStore) throws {
    let schema = PayloadSchema.universities
    let request = GenerationRequest(
      try FeedName("empty"), kind: schema.name, layout: schema.layout,
      keyField: schema.keyField.id)
    let writer = try misused.database.beginGeneration(request, isCancelled: { false })
    func publish() throws {
      _ = try writer.publish(
        referenceSeconds: 0, origin: "", envelope: [], envelopeInsertion: 0)
    }
    try publish()
    try MisusedStore.require(.misuse) { try publish() }
    writer.abandon()
    try misused.requireWhole()
  }

  private static func useRemoved(_ misused: MisusedStore) throws {
    try FileManager.default.removeItem(atPath: misused.store)
    // Mapped data may be read until the removal is noticed. Nothing is stored in the removed file.
    for key in KnownRecords.keys {
      do {
        let found = try FeedReading.lookUp(key, misused.database, misused.feed)
        try demand(found == [MisusedStore.batch], "\(key) is in \(found)")
      } catch let error as StoreError {
        try demand(error.code == .misuse, "\(error)")
      }
    }
    try MisusedStore.require(.notFound) {
      try misused.ingest(MisusedStore.other, as: misused.feed)
    }
  }
}
