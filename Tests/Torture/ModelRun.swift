import FeedCore
import FeedStorage
import Foundation
import TestSupport

/// Random operations on a store and on dictionaries, which must agree after each.
struct ModelRun {
  private enum Operation: CaseIterable {
    case lookUp, scan, scanFrom, list, describe, export
    case ingest, append, delete, sweep, reopen, kill
    case image(ModelImages.Operation)

    static var allCases: [Operation] {
      let images = ModelImages.Operation.allCases.map { Operation.image($0) }
      return [
        .lookUp, .scan, .scanFrom, .list, .describe, .export, .ingest, .append, .delete, .sweep,
        .reopen, .kill,
      ] + images
    }

    /// The frequency among ten thousand. A write costs a thousand times as much as a look-up.
    var weight: Int {
      switch self {
      case .lookUp: 8_900
      case .scan: 300
      case .scanFrom: 300
      case .describe: 200
      case .list: 100
      case .export: 5
      case .ingest: 60
      case .append: 90
      case .delete: 15
      case .sweep: 15
      case .reopen: 10
      case .kill: 5
      case .image(let operation): operation.weight
      }
    }
  }

  private static let names = (0..<6).map { "feed-\($0)" }
  private static let operations = Operation.allCases.flatMap { operation in
    [Operation](repeating: operation, count: operation.weight)
  }

  private let directory: String
  private let options: TortureOptions
  private var random: SeededGenerator
  private var database: FeedDatabase
  private var model: [String: [ModelRecord]] = [:]
  private var images: ModelImages

  init(in directory: String, seed: UInt64, _ options: TortureOptions) throws {
    self.directory = directory
    self.options = options
    random = SeededGenerator(seed: seed)
    database = try Self.open(directory, &random)
    images = try ModelImages(in: directory, options)
  }

  mutating func run(_ count: Int) throws {
    for number in 0..<count {
      let operation = Self.operations[random(Self.operations.count)]
      let name = Self.names[random(Self.names.count)]
      do {
        try perform(operation, name)
      } catch {
        throw TortureFailure("operation \(number), \(operation) of \(name): \(error)")
      }
    }
    for name in Self.names { try scan(name, from: 0) }
    try images.verify()
  }

  private mutating func perform(_ operation: Operation, _ name: String) throws {
    switch operation {
    case .lookUp: try lookUp(name)
    case .scan: try scan(name, from: 0)
    case .scanFrom: try scan(name, from: random((model[name]?.count ?? 0) + 2))
    case .list: try list()
    case .describe:
      let count = try database.feedDescription(named: FeedName(name))?.recordCount
      try demand(count == model[name]?.count, "\(count ?? -1) records are described")
    case .export: try export(name)
    case .ingest: try ingest(name, appends: false)
    case .append: try ingest(name, appends: true)
    case .delete:
      let wasThere = try database.delete(FeedName(name))
      try demand(wasThere == (model.removeValue(forKey: name) != nil), "\(wasThere)")
    case .sweep: _ = try database.sweep()
    case .reopen:
      database = try Self.open(directory, &random)
      try images.reopen()
    case .kill: try kill(name)
    case .image(let operation): try images.perform(operation, &random)
    }
  }

  private mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  /// Opens the store with random limits, which may treat small feeds like large ones.
  private static func open(
    _ directory: String, _ random: inout SeededGenerator
  ) throws -> FeedDatabase {
    var options = FeedDatabase.Options()
    options.indexPairs = [16, 1 << 18].randomElement(using: &random) ?? 16
    options.smallFeedBytes = [0, 8 << 20].randomElement(using: &random) ?? 0
    return try FeedDatabase.open(at: directory + "/store", options: options)
  }
}

// MARK: Reading

extension ModelRun {
  private mutating func lookUp(_ name: String) throws {
    let key = ModelRecord.randomKey(&random)
    let found = try read(name) { name, body in
      try database.forEachRecord(in: name, withKeyBytes: Array(key.utf8).span.bytes, body)
    }
    let expected = model[name].map { records in
      records.enumerated().filter { $0.element.key == key }
    }
    try compare(found, expected, "under \(key)")
  }

  private func scan(_ name: String, from offset: Int) throws {
    let found = try read(name) { name, body in
      try database.forEachRecord(in: name, from: offset, body)
    }
    let expected = model[name].map { records in
      records.enumerated().filter { $0.offset >= offset }
    }
    try compare(found, expected, "from \(offset)")
  }

  /// The records that a call passes to its body; nil if the feed does not exist.
  private func read<R>(
    _ name: String,
    _ call: (FeedName, (RecordView, Int) throws(StoreError) -> Bool) throws -> R
  ) throws -> [(offset: Int, element: ModelRecord)]? {
    var found: [(offset: Int, element: ModelRecord)] = []
    do {
      _ = try call(FeedName(name)) { record, position throws(StoreError) in
        do throws(RecordError) {
          found.append((position, ModelRecord(try University(record))))
        } catch {
          throw StoreError(error)
        }
        return true
      }
    } catch let error as StoreError where error.code == .notFound {
      return nil
    }
    return found
  }

  private func compare(
    _ found: [(offset: Int, element: ModelRecord)]?,
    _ expected: [(offset: Int, element: ModelRecord)]?, _ place: String
  ) throws {
    let isEqual =
      switch (found, expected) {
      case (nil, nil): true
      case (let found?, let expected?): found.elementsEqual(expected) { $0 == $1 }
      default: false
      }
    try demand(
      isEqual,
      "\(place) are \(found?.count ?? -1) records, in the model \(expected?.count ?? -1)")
  }

  private func list() throws {
    let feeds = try database.feeds().map { feed in "\(feed.name) \(feed.recordCount)" }
    let expected = model.map { "\($0.key) \($0.value.count)" }.sorted()
    try demand(feeds == expected, "\(feeds) are listed, in the model \(expected)")
  }

  private func export(_ name: String) throws {
    let file = directory + "/export"
    let process = try options.start(
      ["export", name, "--format", "ndjson", "--store", directory + "/store"],
      output: .file(file))
    let status = process.wait()
    try demand(status == (model[name] == nil ? 66 : 0), "export ended with \(status)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let expected = model[name, default: []].map(\.line).joined()
    try demand(status != 0 || text == expected, "the export is another one")
  }
}

// MARK: Changing

extension ModelRun {
  private mutating func ingest(_ name: String, appends: Bool) throws {
    let records = ModelRecord.random(random(appends ? 40 : 300), &random)
    let old = model[name] ?? []
    var added = records
    if appends {
      let stored = Set(old)
      added.removeAll { stored.contains($0) }
    }
    model[name] = (appends ? old : []) + added
    var (written, options) = (records, IngestOptions())
    options.feed = try FeedName(name)
    options.schema = .universities
    options.appends = appends
    if appends, self.options.fault == ModelTest.losingAppend, !old.isEmpty {
      // The planted fault: the existing records lose the last one.
      (written, options.appends) = (old.dropLast() + added, false)
    }
    let report = try database.ingest([try file(written)], options: options)
    try demand(
      report.feed.recordCount == model[name]?.count || self.options.fault != nil,
      "\(report.feed.recordCount) records were published")
  }

  /// Kills a process at some moment of an ingest. The store has the old feed or the new one.
  private mutating func kill(_ name: String) throws {
    let records = (0..<4_000).map { ModelRecord(key: "key \($0 % 500)", value: "killed \($0)") }
    let process = try options.start(
      [
        "ingest", try file(records), "--kind", "universities", "--feed", name, "--store",
        directory + "/store",
      ])
    usleep(UInt32(random(40_000)))
    process.send(SIGKILL)
    _ = process.wait()
    let (old, count) = (
      model[name], try database.feedDescription(named: FeedName(name))?.recordCount
    )
    if count == records.count { model[name] = records }
    try demand(count == model[name]?.count, "after a kill there are \(count ?? -1) records")
    try scan(name, from: 0)
    // A small feed replaces the large one, which would otherwise dominate the rest of the run.
    if old != model[name] { try ingest(name, appends: false) }
  }

  private func file(_ records: [ModelRecord]) throws -> String {
    let path = directory + "/payload"
    let text = records.isEmpty ? "[]" : records.map(\.line).joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }
}
