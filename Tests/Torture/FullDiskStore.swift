import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// A store on a small disk, changed by the command.
struct FullDiskStore: SmallStore {
  private let options: TortureOptions
  private let store: String
  /// Whether the disk seems to have room until it is written to.
  private let isRoomy: Bool
  private var errors: String { options.workspace + "/errors" }
  var environment: String { store + "/feeds" }
  var place: String { isRoomy ? "a disk that others fill" : "a disk" }

  init(_ options: TortureOptions, store: String, isRoomy: Bool) {
    self.options = options
    self.store = store
    self.isRoomy = isRoomy
  }

  func ingest(_ batch: KnownRecords, as feed: String) throws -> Bool {
    let payload = options.workspace + "/payload.ndjson"
    try batch.write(to: payload)
    let (status, said) = try run(
      ["ingest", payload, "--feed", feed, "--quiet"] + batch.words)
    if status == 0 { return true }
    let isTold = said.contains("the disk is full") || said.contains("the disk or the map has")
    try demand(
      status == 74 && isTold && said.split(separator: "\n").count == 1,
      "the ingest ended with \(status) and said '\(said)'")
    return false
  }

  /// Demands that opening the store is refused because the disk is full.
  func refuseToOpen() throws {
    let (status, said) = try run(["feeds"])
    try demand(
      status == 74 && said.contains("the disk is full"),
      "`feedcore feeds` ended with \(status) and said '\(said)'")
  }

  /// Removes the lock files, which a backup lacks.
  func removeLocks() throws {
    for path in [store + "/locks", environment + "/lock.mdb"] {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Demands that a write is refused because the disk is mounted read-only.
  func refuseToWrite() throws {
    let (status, said) = try run(["delete", "none"])
    try demand(
      status == 74 && said.contains("mounted read-only"),
      "`feedcore delete` ended with \(status) and said '\(said)'")
  }

  func delete(_ feed: String) throws {
    let (status, said) = try run(["delete", feed])
    try demand(status == 0, "`feedcore delete` ended with \(status) and said '\(said)'")
  }

  func contents() throws -> StoreContents {
    // A separate process reads the store, because a fault may end it.
    let verifier = try StoreVerifier(options)
    return try verifier.contents(store) ?? StoreContents()
  }

  private func run(_ words: [String]) throws -> (status: Int32, said: String) {
    var environment = ["LD_PRELOAD": options.preload, "TORTURE_ROOT": store]
    environment["TORTURE_FAULT"] = options.fault
    if isRoomy { environment["TORTURE_ROOMY"] = "1" }
    let status = try options.start(
      words + ["--store", store], environment: environment, errors: .file(errors)
    ).wait()
    return (status, try String(contentsOfFile: errors, encoding: .utf8))
  }
}

/// A store with a map of a few megabytes, in this process.
struct FullMapStore: SmallStore {
  private let database: FeedDatabase
  private let workspace: String
  var place: String { "a map" }

  init(store: String, workspace: String) throws {
    var options = FeedDatabase.Options()
    options.mapSize = 6 << 20
    database = try FeedDatabase.open(at: store, options: options)
    self.workspace = workspace
  }

  func ingest(_ batch: KnownRecords, as feed: String) throws -> Bool {
    let payload = workspace + "/mapped.ndjson"
    try batch.write(to: payload)
    var options = IngestOptions()
    options.feed = try FeedName(feed)
    batch.describe(to: &options)
    do throws(IngestError) {
      _ = try database.ingest([payload], options: options)
      return true
    } catch {
      guard error.store?.code == .diskFull else { throw error }
      return false
    }
  }

  func delete(_ feed: String) throws {
    try demand(try database.delete(try FeedName(feed)), "there is no \(feed) to delete")
  }

  func contents() throws -> StoreContents { try StoreContents(reading: database) }
}
