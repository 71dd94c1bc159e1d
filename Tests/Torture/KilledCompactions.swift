import FeedCore
import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Kills compactions with SIGKILL while an ingest in one process waits for its input, and this
/// process reads.
///
/// After each kill another process ingests, and then the waiting ingest continues. Both feeds are
/// complete, whichever file each process had open, and each ingest has its own number.
enum KilledCompactions: TorturePart {
  static let name = "compactions"
  static let faults = ["lost-publish"]

  static func run(_ options: TortureOptions) throws -> String {
    let store = try CompactedStore(options)
    let cycles = options.pick(ci: 60, full: 1_500)
    var random = SeededGenerator(seed: options.seed)
    var ends = 0
    for cycle in 1...cycles { ends += try store.run(cycle, &random) ? 1 : 0 }
    try demand(try store.check() == 0, "the store is not sound in the end")
    return "\(cycles - ends) compactions were killed and \(ends) came to their end beside"
      + " \(2 * cycles) ingests; 0 lost, 0 of another's number"
  }
}

/// A store that is compacted, and that this process reads the whole time.
private struct CompactedStore {
  private static let (records, padding) = (60, 200)

  private let options: TortureOptions
  private let store: String
  private let database: FeedDatabase

  init(_ options: TortureOptions) throws {
    self.options = options
    store = options.workspace + "/store"
    database = try FeedDatabase.open(at: store)
  }

  /// Returns true if the compaction was completed.
  func run(_ cycle: Int, _ random: inout SeededGenerator) throws -> Bool {
    let records = KnownRecords(tag: cycle, count: Self.records, padding: Self.padding)
    let payload = options.workspace + "/payload.ndjson"
    try records.write(to: payload)
    let document = KnownRecords(
      tag: cycle, count: Self.records, padding: Self.padding, isDocument: true)
    let documentFile = options.workspace + "/payload.json"
    try document.write(to: documentFile)
    var ends: [CInt] = [-1, -1]
    try demand(pipe(&ends) == 0, "no pipe: \(errno)")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let waiting = try ingest("-", into: "waiting", input: .descriptor(ends[0]))
    close(ends[0])
    let compaction = try options.start(["store", "compact", "--store", store])
    usleep(UInt32.random(in: 4_000...60_000, using: &random))
    compaction.send(SIGKILL)
    let status = compaction.wait()
    try demand(
      status == -SIGKILL || status == 0, "cycle \(cycle): a compaction ended with \(status)")
    try demand(
      try ingest(documentFile, into: "quick", document.words).wait() == 0,
      "cycle \(cycle): an ingest failed")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: payload))
    let written = bytes.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    try demand(written == bytes.count, "cycle \(cycle): the pipe took \(written) bytes")
    try demand(waiting.wait() == 0, "cycle \(cycle): the ingest that had waited failed")
    try verify(cycle, ["quick": document, "waiting": records])
    return status == 0
  }

  private func ingest(
    _ payload: String, into feed: String, _ words: [String] = [],
    input: RunningCommand.Stream = .nothing
  ) throws -> RunningCommand {
    var environment: [String: String] = [:]
    if let fault = options.fault {
      environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": fault, "TORTURE_ROOT": store]
    }
    return try options.start(
      ["ingest", payload, "--feed", feed, "--store", store, "--quiet"] + words,
      environment: environment, input: input)
  }

  private func verify(_ cycle: Int, _ expected: [String: KnownRecords]) throws {
    var generations: Set<UInt64> = []
    for (feed, records) in expected {
      let (batches, generation) = try FeedReading.scan(database, FeedName(feed))
      try demand(batches == [records], "cycle \(cycle): \(feed) holds \(batches)")
      generations.insert(generation)
    }
    try demand(generations.count == 2, "cycle \(cycle): two feeds have the number \(generations)")
  }

  func check() throws -> Int32 {
    try options.start(["store", "check", "--store", store]).wait()
  }
}
