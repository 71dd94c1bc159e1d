import Foundation
import LMDB
import TestSupport

/// Kills writers of records and of documents with SIGKILL, at any moment of an ingest and after it.
/// Meanwhile three processes read, and one process keeps the store open.
///
/// After each kill the last acknowledged generation or a later one is complete, and the writer's
/// locks are free.
enum KilledWriters: TorturePart {
  static let name = "kill"
  static let faults = ["lost-publish"]

  static func run(_ options: TortureOptions) throws -> String {
    var loop = try KillLoop(options)
    let began = ContinuousClock.now
    let cycles = options.pick(ci: 200, full: 2_000)
    for cycle in 1...cycles { try loop.run(cycle) }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    let reads = try loop.finish()
    let locks = Latencies(loop.lockTimes)
    try demand(
      locks.percentile(50) <= 50_000,
      "the next writer had its locks after \(locks.percentile(50)) µs, as a median")
    return "\(cycles) kills, \(loop.acknowledgements) acknowledged before, \(loop.published)"
      + " published, 0 corrupt, 0 lost; locks after \(locks.percentile(50)) µs (worst"
      + " \(locks.percentile(100)) µs); \(reads) reads by others;"
      + " \(Int(Double(cycles) / seconds)) cycles/s"
  }

  static func child(_ words: [String]) throws {
    guard words.count == 2 else { throw TortureFailure("\(words)?") }
    switch words[0] {
    case "read":
      var reader = try SteadyReader(store: words[1])
      try reader.run()
    default: try Bystander(store: words[1]).serve()
    }
  }
}

/// A feed that writers replace repeatedly, with its known state.
private struct ReplacedFeed {
  let name: String
  let isDocument: Bool
  /// The last batch that a writer reported as published.
  var acknowledged = 0
  /// The estimated duration of a writer.
  var duration = Duration.milliseconds(50)

  func batch(_ cycle: Int) -> KnownRecords {
    KnownRecords(tag: cycle, count: 400, padding: 300, isDocument: isDocument)
  }
}

/// One store and all processes around it.
struct KillLoop {
  private let options: TortureOptions
  private let store: String
  private let bystander: LineProcess
  private let readers: [LineProcess]
  private var random: SeededGenerator
  private var feeds = [
    ReplacedFeed(name: "alternating", isDocument: false),
    ReplacedFeed(name: "documents", isDocument: true),
  ]
  private(set) var lockTimes: [Int] = []
  private(set) var acknowledgements = 0
  private(set) var published = 0

  init(_ options: TortureOptions) throws {
    self.options = options
    random = SeededGenerator(seed: options.seed)
    let store = options.workspace + "/store"
    self.store = store
    let clock = ContinuousClock()
    for index in feeds.indices {
      let feed = feeds[index]
      var durations: [Duration] = []
      // The first writer creates the store, so its duration is not representative.
      for _ in 0..<4 {
        durations.append(
          try clock.measure {
            let writer = try Self.start(
              0, feed, options, store: store, output: .nothing, fault: nil)
            try demand(writer.wait() == 0, "an ingest without a fault failed")
          })
      }
      feeds[index].duration = durations.dropFirst().max() ?? feed.duration
    }
    bystander = try LineProcess("the bystander") { input, output in
      try options.child(of: KilledWriters.self, ["stand", store], input: input, output: output)
    }
    readers = try (1...3).map { number in
      try LineProcess("reader \(number)") { input, output in
        try options.child(of: KilledWriters.self, ["read", store], input: input, output: output)
      }
    }
  }

  /// Starts a writer, kills it, and verifies the store.
  mutating func run(_ cycle: Int) throws {
    let output = options.workspace + "/acknowledgement"
    let index = cycle % feeds.count
    let writer = try Self.start(
      cycle, feeds[index], options, store: store, output: .file(output), fault: options.fault)
    let moment = feeds[index].duration * Double.random(in: 0...1.25, using: &random)
    usleep(UInt32(moment / .microseconds(1)))
    writer.send(SIGKILL)
    let status = writer.wait()
    if status != -SIGKILL {
      try demand(status == 0, "cycle \(cycle): the writer ended with \(status) by itself")
    }
    let said = try Data(contentsOf: URL(fileURLWithPath: output))
    let isDone = status == 0 || said.last == 0x0A
    if isDone {
      feeds[index].acknowledged = cycle
      acknowledgements += 1
    }
    // Under any load of the machine, about one writer in five is done before it is killed.
    feeds[index].duration = feeds[index].duration * (isDone ? 0.93 : 1.02)
    try verify(cycle, feeds[index])
  }

  private static func start(
    _ cycle: Int, _ feed: ReplacedFeed, _ options: TortureOptions, store: String,
    output: RunningCommand.Stream, fault: String?
  ) throws -> RunningCommand {
    let payload = "\(options.workspace)/payload.ndjson"
    let batch = feed.batch(cycle)
    try batch.write(to: payload)
    var environment: [String: String] = [:]
    if let fault {
      environment = ["LD_PRELOAD": options.preload, "TORTURE_FAULT": fault, "TORTURE_ROOT": store]
    }
    return try options.start(
      ["ingest", payload, "--feed", feed.name, "--store", store, "--json"] + batch.words,
      environment: environment, output: output)
  }

  private mutating func verify(_ cycle: Int, _ feed: ReplacedFeed) throws {
    let reply = try bystander.ask("look \(feed.name)")
    let words = reply.split(separator: " ")
    guard words.count == 3, words[0] == "found", let microseconds = Int(words[1]),
      let found = KnownRecords(words[2])
    else { throw TortureFailure("after kill \(cycle): \(reply)") }
    lockTimes.append(microseconds)
    try demand(
      found == feed.batch(found.tag), "after kill \(cycle): another payload: \(found)")
    try demand(
      (feed.acknowledged...cycle).contains(found.tag),
      "after kill \(cycle): generation \(found.tag) of \(feed.name) is there,"
        + " \(feed.acknowledged) was acknowledged")
    if found.tag == cycle { published += 1 }
    if cycle % 10 <= 1 { try readByCommand(cycle, feed.name) }
  }

  /// Verifies that a process that reopens the store finds the same record.
  private func readByCommand(_ cycle: Int, _ feed: String) throws {
    let status = try options.start(["get", feed, "last", "--store", store]).wait()
    try demand(status == 0, "after kill \(cycle): `feedcore get` ended with \(status)")
  }

  /// Ends the readers; returns how often they read everything.
  func finish() throws -> Int {
    var reads = 0
    for reader in readers {
      let reply = try reader.ask("end")
      guard let count = Int(reply) else { throw TortureFailure("a reader: \(reply)") }
      reads += count
    }
    return reads
  }
}
