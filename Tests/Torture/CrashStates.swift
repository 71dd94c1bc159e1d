import Foundation
import TestSupport

/// Simulates power cuts. It records every write and sync of a workload on feeds and images, creates
/// the states that a crash at any moment may leave, and opens each of them.
///
/// Changes that were acknowledged before the crash must be complete. A change in progress must be
/// complete or absent. The last change of the images may be missing, unless it is durable.
enum CrashStates: TorturePart {
  static let name = "crash-states"
  static let faults = ["no-sync", "no-publish-sync", "no-image-sync"]

  static func child(_ words: [String]) throws {
    guard words.first == "image" else { return StoreVerifier.serve() }
    guard words.count > 2, let change = ImageChange(Array(words[2...])) else {
      throw TortureFailure("\(words)?")
    }
    try change.perform(in: words[1])
  }

  static func run(_ options: TortureOptions) throws -> String {
    let workload = try CrashWorkload(options)
    var random = SeededGenerator(seed: options.seed)
    let count = options.pick(ci: 2_000, full: 20_000)
    let moments = (0..<count).map { _ in
      Int.random(in: 0...workload.recording.events.count, using: &random)
    }.sorted()
    var explorer = try CrashExplorer(options, workload, random)
    let began = ContinuousClock.now
    for moment in moments { try explorer.explore(moment) }
    try explorer.finish()
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    return "\(count) states of \(workload.recording.events.count) operations and"
      + " \(workload.steps.count) steps, \(Int(Double(count) / seconds)) states/s,"
      + " \(explorer.ingests) ingests into them, \(explorer.commands) read by the command, 0 bad"
  }
}

/// Creates and verifies the states after crashes, in the order of the crashes.
struct CrashExplorer {
  private let options: TortureOptions
  private let workload: CrashWorkload
  private var disk: CrashDisk
  private var random: SeededGenerator
  private var verifier: StoreVerifier
  private var moment = 0
  private var acknowledged = 0
  private var states = 0
  private(set) var ingests = 0
  private(set) var commands = 0
  private let extra = KnownRecords(tag: 9_999, count: 20)
  private var extraFile: String { options.workspace + "/extra.ndjson" }

  init(_ options: TortureOptions, _ workload: CrashWorkload, _ random: SeededGenerator) throws {
    self.options = options
    self.workload = workload
    self.random = random
    verifier = try StoreVerifier(options)
    disk = CrashDisk(
      root: workload.root, inode: workload.rootInode, data: workload.recording.data)
    try extra.write(to: extraFile)
  }

  private mutating func advance(to moment: Int) throws {
    while self.moment < moment {
      let event = workload.recording.events[self.moment]
      if case .acknowledged = event { acknowledged += 1 }
      try disk.apply(event)
      self.moment += 1
    }
  }

  /// Without a crash, the recording must reproduce exactly the files of the workload.
  mutating func finish() throws {
    try advance(to: workload.recording.events.count)
    for environment in ["feeds", "images"] {
      try disk.requireAll(of: workload.root + "/store/\(environment)/data.mdb")
    }
  }

  /// Creates and reads a state for a crash after the given number of events.
  ///
  /// The number must not decrease between calls.
  mutating func explore(_ moment: Int) throws {
    try advance(to: moment)
    states += 1
    let path = "\(options.memory)/state"
    try disk.write(to: path, using: &random)
    do {
      try verify(path + "/store")
    } catch {
      throw TortureFailure(
        "state \(states), a crash after operation \(moment) of \(workload.recording.events.count)"
          + " with \(acknowledged) steps done: \(error)")
    }
    try FileManager.default.removeItem(atPath: path)
  }

  private mutating func verify(_ store: String) throws {
    let found = try verifier.contents(store)
    try demand(
      workload.allowed(after: acknowledged).contains(found),
      "holds \(found.map(\.description) ?? "no store"); acknowledged was"
        + " \(workload.steps.prefix(acknowledged).last?.description ?? "nothing")")
    if states % 20 == 0 { try ingest(into: store, found) }
    if states % 100 == 0, found != nil { try readByCommand(store) }
  }

  /// Verifies that a store accepts an ingest after the crash.
  private mutating func ingest(into store: String, _ before: StoreContents?) throws {
    var expected = before ?? StoreContents()
    expected.feeds["one"] = [extra]
    let after = try verifier.ingest(extraFile, as: "one", into: store)
    try demand(
      after == expected, "holds \(after.map(\.description) ?? "no store") after another ingest")
    let change = ImageChange.put("extra", KnownImage(tag: 99, count: 3_000), isDurable: false)
    let found = try verifier.change(change, in: store)
    try demand(
      found?.feeds == expected.feeds && change.isDone(found?.images ?? [:], from: expected.images),
      "holds \(found.map(\.description) ?? "no store") after another image")
    ingests += 1
  }

  private mutating func readByCommand(_ store: String) throws {
    let status = try options.start(["feeds", "--store", store]).wait()
    try demand(status == 0, "`feedcore feeds` ended with \(status)")
    commands += 1
  }
}
