import Foundation
import TestSupport

/// Runs one command on a copy of a store, with an operation that fails.
struct FailureTrial {
  /// A command and what it does to the store.
  struct Step {
    let name: String
    /// Whether the store is missing before the command.
    var isFirst = false
    let words: [String]
    let after: StoreContents
    /// The change of the images; nil if the command changes feeds.
    var change: ImageChange?

    /// Whether a store may have these contents after the command succeeds.
    func isDone(_ found: StoreContents?) -> Bool {
      guard let found, let change else { return found == after }
      return found.feeds == after.feeds && change.isDone(found.images, from: FailureTrial.images)
    }
  }

  private static let old = KnownRecords(tag: 1, count: 60, padding: 700)
  private static let other = KnownRecords(tag: 2, count: 40, padding: 300)
  /// Enough images that another large image evicts some of them.
  private static let images = [
    "old": KnownImage(tag: 1, count: 290_000), "small": KnownImage(tag: 2, count: 3_000),
    "middle": KnownImage(tag: 3, count: 280_000), "late": KnownImage(tag: 4, count: 270_000),
  ]

  private let options: TortureOptions
  private let verifier: StoreVerifier
  private var pristine: String { options.memory + "/pristine" }
  private var store: String { options.memory + "/trial/store" }
  private var counter: String { options.memory + "/counter" }
  private var errors: String { options.memory + "/errors" }
  private var before: StoreContents {
    var contents = StoreContents()
    contents.feeds = ["one": [Self.old], "two": [Self.other]]
    contents.images = Self.images
    return contents
  }

  init(_ options: TortureOptions) throws {
    self.options = options
    verifier = try StoreVerifier(options)
    let payload = options.workspace + "/setup.ndjson"
    try FileManager.default.createDirectory(
      atPath: pristine, withIntermediateDirectories: true)
    for (feed, batch) in [("one", Self.old), ("two", Self.other)] {
      try batch.write(to: payload)
      let words = ["ingest", payload, "--feed", feed, "--store", pristine + "/store", "--quiet"]
      // The second ingest replaces the feed, so that the store has free pages.
      for _ in 0..<2 {
        try demand(try options.start(words).wait() == 0, "the first ingest failed")
      }
    }
    for (name, image) in Self.images.sorted(by: { $0.value.tag < $1.value.tag }) {
      let change = ImageChange.put(name, image, isDurable: true)
      _ = try verifier.change(change, in: pristine + "/store")
    }
  }

  static func steps(_ options: TortureOptions) -> [Step] {
    // Two batches are in progress at a time, so that one is queued when the other one fails.
    let size = 6_000
    let batch = KnownRecords(tag: 3, count: size, padding: 700)
    let small = KnownRecords(tag: 4, count: 50, padding: 200)
    var made = StoreContents()
    made.feeds["one"] = [batch]
    let replaced = contents(["one": [batch], "two": [other]])
    let appended = contents(["one": [old, small], "two": [other]])
    let deleted = contents(["two": [other]])
    return [
      Step(
        name: "create", isFirst: true, words: ["ingest", "--feed", "one", "--quiet"], after: made),
      Step(
        name: "replace", words: ["ingest", "--feed", "one", "--quiet", "--durability", "full"],
        after: replaced),
      Step(
        name: "append", words: ["ingest", "--feed", "one", "--append", "--quiet"], after: appended),
      Step(name: "delete", words: ["delete", "one"], after: deleted),
    ]
  }

  static func imageSteps() -> [Step] {
    let after = contents(["one": [old], "two": [other]])
    func put(_ step: String, _ name: String, _ count: Int) -> Step {
      let image = KnownImage(tag: 5, count: count)
      return Step(
        name: step, words: ["images", "put", KnownImage.url(name), "--content-type", "\(image)"],
        after: after, change: .put(name, image, isDurable: false))
    }
    return [
      put("put an image", "new", 4_000), put("overwrite an image", "middle", 265_000),
      put("put a large image", "large", 320_000),
      Step(
        name: "remove an image", words: ["images", "remove", KnownImage.url("middle")],
        after: after, change: .remove("middle")),
    ]
  }

  private static func contents(_ feeds: [String: [KnownRecords]]) -> StoreContents {
    var contents = StoreContents()
    contents.feeds = feeds
    contents.images = images
    return contents
  }

  /// The number of operations of a command when none of them fails.
  func operations(of step: Step) throws -> Int {
    try prepare(step)
    let status = try start(step, [:]).wait()
    try demand(status == 0, "\(step.name) ended with \(status) without any failure")
    try demand(
      step.isDone(try verifier.contents(store)), "\(step.name) does not do what it should")
    let count = try Data(contentsOf: URL(fileURLWithPath: counter)).withUnsafeBytes { bytes in
      bytes.loadUnaligned(as: Int.self)
    }
    try demand(count > 3, "\(step.name) had \(count) operations, so nothing was seen")
    return count
  }

  /// Runs a command with one failing operation, and verifies its message and the store.
  func run(
    _ step: Step, failing number: Int, _ failure: IOErrors.Failure, _ figures: inout TrialFigures
  ) throws {
    try prepare(step)
    var environment = ["TORTURE_FAIL_AT": "\(number)", "TORTURE_FAIL": failure.kind]
    if failure.stays { environment["TORTURE_FAIL_STAYS"] = "1" }
    let status = try start(step, environment).wait()
    let what =
      "\(step.name) with \(failure.kind)\(failure.stays ? " from" : " at") operation \(number)"
    figures.runs += 1
    try demand(status >= 0, "\(what): ended by signal \(-status)")
    let found: StoreContents?
    do {
      found = try verifier.contents(store)
    } catch {
      throw TortureFailure("\(what): exit status \(status), then \(error)")
    }
    let holds = found.map { "holds \($0)" } ?? "there is no store"
    if status == 0 {
      figures.done += 1
      try demand(step.isDone(found), "\(what): a false success, \(holds)")
    } else {
      figures.failed += 1
      try requireMessage(status, what)
      if step.isDone(found) { figures.doneUntold += 1 }
      try demand(
        step.isDone(found) || isUntouched(found, by: step),
        "\(what): ended with \(status), \(holds)")
    }
    if number % 5 == 0 { try goOn(step, found, what) }
  }

  /// Whether a command had no effect, except that it may have evicted images.
  private func isUntouched(_ found: StoreContents?, by step: Step) -> Bool {
    guard let found else { return step.isFirst }
    if step.isFirst { return found == StoreContents() }
    if step.change == nil { return found == before }
    return found.feeds == before.feeds
      && found.images.allSatisfy { before.images[$0.key] == $0.value }
  }

  private func requireMessage(_ status: Int32, _ what: String) throws {
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    try demand(
      said.split(separator: "\n").count == 1 && [66, 74, 75].contains(status),
      "\(what): ended with \(status) and said '\(said)'")
  }

  /// Verifies that the next ingest works on the contents that the command left.
  private func goOn(_ step: Step, _ found: StoreContents?, _ what: String) throws {
    var expected = found ?? StoreContents()
    expected.feeds["next"] = [Self.other]
    let file = options.workspace + "/next.ndjson"
    try Self.other.write(to: file)
    let after = try verifier.ingest(file, as: "next", into: store)
    try demand(
      after == expected, "\(what): the next ingest left \(after.map(\.description) ?? "no store")")
  }

  // MARK: One run

  private func prepare(_ step: Step) throws {
    let directory = options.memory + "/trial"
    try? FileManager.default.removeItem(atPath: directory)
    if step.isFirst {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } else {
      try FileManager.default.copyItem(atPath: pristine, toPath: directory)
    }
    try Data(count: 8).write(to: URL(fileURLWithPath: counter))
  }

  private func start(_ step: Step, _ more: [String: String]) throws -> RunningCommand {
    var words = step.words + ["--store", store]
    if case .put(_, let image, _) = step.change {
      let file = "\(options.workspace)/image-\(image)"
      if access(file, F_OK) != 0 { try Data(image.bytes).write(to: URL(fileURLWithPath: file)) }
      words.append(file)
    } else if step.change == nil, let batch = step.after.feeds["one"]?.last {
      let payload = "\(options.workspace)/payload-\(step.name).ndjson"
      if access(payload, F_OK) != 0 { try batch.write(to: payload) }
      words.append(payload)
    }
    let environment = [
      "LD_PRELOAD": options.preload, "TORTURE_ROOT": options.memory + "/trial",
      "TORTURE_COUNTER": counter,
    ].merging(more) { $1 }
    return try options.start(words, environment: environment, errors: .file(errors))
  }
}
