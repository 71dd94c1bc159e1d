import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// Eight processes read a feed that another one replaces over and over; then readers that are
/// killed or stopped in the middle of a read.
enum ManyReaders: TorturePart {
  static let name = "readers"
  static let faults = ["no-locks"]

  static func run(_ options: TortureOptions) throws -> String {
    let crowd = try ReaderCrowd(options)
    let reading = try crowd.readWhileWriting(seconds: options.pick(ci: 10, full: 60))
    if options.fault != nil { return reading }
    let killed = try crowd.killInSnapshot()
    let stopped = try crowd.stopInSnapshot()
    return "\(reading); \(killed); \(stopped)"
  }

  static func child(_ words: [String]) throws {
    guard words.count == 2 else { throw TortureFailure("\(words)?") }
    if words[0] == "hold" { return try holdSnapshot(words[1]) }
    var reader = try SteadyReader(store: words[1])
    do {
      try reader.run(reply: { reader in
        "\(reader.count) \(reader.lookUps.map(String.init).joined(separator: ","))"
      })
    } catch {
      print("error: \(error)".replacing("\n", with: " "))
    }
  }

  /// Stays within a read transaction for good.
  private static func holdSnapshot(_ store: String) throws {
    let database = try FeedDatabase.open(at: store)
    let feed = try ReaderCrowd.feed
    try database.forEachRecord(in: feed, withKeyBytes: Array("first".utf8).span.bytes) {
      (_, _) throws(StoreError) in
      FileHandle.standardOutput.write(Data("held\n".utf8))
      while true { pause() }
    }
  }
}

/// One store, its writer and its readers.
struct ReaderCrowd {
  static var feed: FeedName { get throws { try FeedName("crowded") } }

  private let options: TortureOptions
  private let store: String

  init(_ options: TortureOptions) throws {
    self.options = options
    store = options.workspace + "/store"
    try demand(try ingest(0) == 0, "the first ingest failed")
  }

  private func ingest(_ number: Int) throws -> Int32 {
    let payload = options.workspace + "/payload.ndjson"
    // Longer than one snapshot of a scan.
    try KnownRecords(tag: number, count: 24_000 + number % 2, padding: 100).write(to: payload)
    var environment: [String: String] = [:]
    if let fault = options.fault {
      environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": fault]
    }
    return try options.start(
      ["ingest", payload, "--feed", "crowded", "--store", store, "--quiet"],
      environment: environment, errors: .file(options.workspace + "/errors")
    ).wait()
  }

  private func start(_ role: String) throws -> LineProcess {
    try LineProcess("a reader (\(role))") { input, output in
      try options.child(of: ManyReaders.self, [role, store], input: input, output: output)
    }
  }

  // MARK: Reading while the feed is replaced

  func readWhileWriting(seconds: Int) throws -> String {
    let readers = try (0..<8).map { _ in try start("read") }
    let end = ContinuousClock.now + .seconds(seconds)
    var ingests = 0
    while ContinuousClock.now < end {
      ingests += 1
      let status = try ingest(ingests)
      try demand(status == 0, "ingest \(ingests) among readers ended with \(status)")
    }
    var (reads, times) = (0, [Int]())
    for reader in readers {
      let words = try reader.ask("end").split(separator: " ", omittingEmptySubsequences: false)
      guard words.count == 2, let count = Int(words[0]) else {
        throw TortureFailure("a reader: \(words.joined(separator: " "))")
      }
      reads += count
      times += words[1].split(separator: ",").compactMap { Int($0) }
    }
    try demand(reads >= 8, "eight readers read \(reads) times, which shows nothing")
    let latencies = Latencies(times)
    return "8 readers read \(reads) times in \(seconds) s and \(ingests) ingests, 0 errors;"
      + " look-up p50 \(latencies.percentile(50)) µs, p99 \(latencies.percentile(99)) µs"
  }

  // MARK: Readers that are no more, or do not go on

  /// Its slot is free once somebody has written.
  func killInSnapshot() throws -> String {
    let database = try FeedDatabase.open(at: store)
    let reader = try start("hold")
    _ = try reader.reply()
    try demand(try slots(of: reader, database) > 0, "a reader in a snapshot has no slot")
    let began = ContinuousClock.now
    reader.signal(SIGKILL)
    _ = reader.end()
    try demand(try ingest(1) == 0, "an ingest after a reader was killed failed")
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    try demand(try slots(of: reader, database) == 0, "a killed reader still holds its slot")
    try demand(seconds < 30, "a killed reader's slot was free after \(seconds) s")
    return "a killed reader's slot was free after \(String(format: "%.1f", seconds)) s"
  }

  private func slots(of reader: LineProcess, _ database: FeedDatabase) throws -> Int {
    try database.statistics().readers.count { $0.process == Int(reader.process) }
  }

  /// Statistics name it, the file grows by no more than what is ingested, and stops growing once
  /// it is gone.
  func stopInSnapshot() throws -> String {
    let database = try FeedDatabase.open(at: store)
    let reader = try start("hold")
    _ = try reader.reply()
    reader.signal(SIGSTOP)
    let before = try database.statistics().fileBytes
    let size = try database.feed(named: Self.feed)?.storedBytes ?? 0
    var ingests = 0
    while ingests < 8 {
      let status = try ingest(ingests)
      if status == 75 { break }
      try demand(status == 0, "an ingest beside a stopped reader ended with \(status)")
      ingests += 1
    }
    let during = try database.statistics()
    let held = during.readers.filter { $0.process == Int(reader.process) }.compactMap(\.transaction)
    guard let oldest = held.min(), oldest < during.lastTransaction else {
      throw TortureFailure("statistics do not show the stopped reader: \(during.readers)")
    }
    let growth = during.fileBytes - before
    try demand(
      Double(growth) <= Double(ingests + 1) * Double(size) * 1.25,
      "the file grew by \(growth) bytes in \(ingests) ingests of \(size) bytes")
    reader.signal(SIGKILL)
    _ = reader.end()
    for number in 0..<4 {
      try demand(try ingest(number) == 0, "an ingest after the stopped reader failed")
    }
    let after = try database.statistics().fileBytes
    try demand(after == during.fileBytes, "the file grows on without the stopped reader")
    return "beside a stopped one the file grew by \(growth >> 20) MB in \(ingests) ingests of"
      + " \(size >> 20) MB, and then by nothing"
  }
}
