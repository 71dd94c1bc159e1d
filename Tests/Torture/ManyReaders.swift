import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// Eight processes read a feed that another process replaces repeatedly. Then readers are killed or
/// stopped during a read, and one reader does not end its read.
enum ManyReaders: TorturePart {
  static let name = "readers"
  static let faults = ["no-locks"]

  static func run(_ options: TortureOptions) throws -> String {
    let crowd = try ReaderCrowd(options)
    let reading = try crowd.readWhileWriting(seconds: options.pick(ci: 60, full: 600))
    if options.fault != nil { return reading }
    let killed = try crowd.killInSnapshot()
    let stopped = try crowd.stopInSnapshot()
    let held = try crowd.holdReader(seconds: options.pick(ci: 5, full: 60))
    return "\(reading); \(killed); \(stopped); \(held)"
  }

  static func child(_ words: [String]) throws {
    guard words.count == 2 else { throw TortureFailure("\(words)?") }
    if words[0] == "hold" { return try holdReader(words[1]) }
    var reader = try SteadyReader(store: words[1])
    do {
      try reader.run(reply: { reader in
        "\(reader.count) \(reader.lookUps.map(String.init).joined(separator: ","))"
      })
    } catch {
      print("error: \(error)".replacing("\n", with: " "))
    }
  }

  /// Never returns from the body of a scan.
  private static func holdReader(_ store: String) throws {
    let feed = try FeedDatabase.open(at: store).existingFeed(named: ReaderCrowd.feed)
    try feed.forEachRecord { _, _ in
      FileHandle.standardOutput.write(Data("held\n".utf8))
      while true { pause() }
    }
  }
}

/// One store, its writer and its readers.
struct ReaderCrowd {
  static var feed: FeedName { get throws { try FeedName("crowded") } }

  private let options: TortureOptions
  let store: String

  init(_ options: TortureOptions) throws {
    self.options = options
    store = options.workspace + "/store"
    try demand(try ingest(0) == 0, "the first ingest failed")
  }

  var errors: String { options.workspace + "/errors" }

  func ingest(_ number: Int, _ more: [String] = []) throws -> Int32 {
    let payload = options.workspace + "/payload.ndjson"
    // A scan of this feed takes longer than one snapshot.
    try KnownRecords(tag: number, count: 24_000 + number % 2, padding: 100).write(to: payload)
    var environment: [String: String] = [:]
    if let fault = options.fault {
      environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": fault]
    }
    return try options.start(
      ["ingest", payload, "--feed", "crowded", "--store", store, "--quiet"] + more,
      environment: environment, errors: .file(errors)
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

  // MARK: Killed and stopped readers

  /// The slot of a killed reader is free after the next write.
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

  /// Statistics and the ingest name a stopped reader, and the file stays within its limit. The
  /// space that the reader held is reused after the reader ends.
  func stopInSnapshot() throws -> String {
    let database = try FeedDatabase.open(at: store)
    let reader = try start("hold")
    _ = try reader.reply()
    reader.signal(SIGSTOP)
    let before = try database.statistics().fileBytes
    let size = try database.feedDescription(named: Self.feed)?.storedBytes ?? 0
    let limit = before + 3 * size
    var ingests = 0
    while try ingest(ingests, ["--file-limit", "\(limit)"]) == 0, ingests < 30 { ingests += 1 }
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    try demand(
      said.contains("process \(reader.process)"),
      "after \(ingests) ingests beside a stopped reader the last one said '\(said)'")
    let during = try database.statistics()
    let held = during.readers.filter { $0.process == Int(reader.process) }.compactMap(\.transaction)
    guard let oldest = held.min(), oldest < during.lastTransaction else {
      throw TortureFailure("statistics do not show the stopped reader: \(during.readers)")
    }
    // An ingest checks the limit only occasionally, so the last one may be complete.
    try demand(
      during.fileBytes <= limit + size * 3 / 2,
      "the file has \(during.fileBytes) bytes, with a limit of \(limit)")
    reader.signal(SIGKILL)
    _ = reader.end()
    for number in 0..<4 {
      try demand(try ingest(number) == 0, "an ingest after the stopped reader failed")
    }
    let after = try database.statistics().fileBytes
    try demand(after == during.fileBytes, "the file grows on without the stopped reader")
    return "beside a stopped one the file grew by \((during.fileBytes - before) >> 20) MB in"
      + " \(ingests) ingests of \(size >> 20) MB, the next one was refused, and once it was gone"
      + " the file grew no more"
  }
}
