import Foundation
import TestSupport

/// A workload with a recording of its system calls, and the contents of the store after each step.
struct CrashWorkload {
  let root: String
  let rootInode: UInt64
  let recording: Recording
  /// The contents after each step.
  private(set) var steps: [StoreContents] = []

  init(_ options: TortureOptions) throws {
    root = options.workspace + "/recorded"
    guard mkdir(root, 0o700) == 0 else { throw TortureFailure("cannot make \(root)") }
    var status = stat()
    stat(root, &status)
    rootInode = UInt64(status.st_ino)
    let file = options.workspace + "/recording"
    let verifier = try StoreVerifier(options)
    var contents = StoreContents()
    for (number, step) in Self.plan.enumerated() {
      try Self.run(step, number, options, store: root + "/store", recording: file)
      let before = contents.images
      step.apply(to: &contents, number)
      let found = try verifier.contents(root + "/store")
      if case .image(let change) = step, let images = found?.images,
        change.isDone(images, from: before)
      {
        contents.images = images
      }
      try demand(
        found == contents, "step \(number + 1) left \(found.map(\.description) ?? "nothing")")
      try Recording.acknowledge(file)
      steps.append(contents)
    }
    try demand(contents.images.count < 5, "no image had to leave for another one")
    recording = try Recording(file)
  }

  /// The contents that may remain after the given number of acknowledged steps.
  ///
  /// The step in progress may be included. The last change of the images may be missing, unless it
  /// is durable.
  func allowed(after count: Int) -> [StoreContents?] {
    let known = [count == 0 ? StoreContents() : steps[count - 1]] + steps[count...].prefix(1)
    var images = known.map(\.images)
    let changes = Self.plan.indices.prefix(count).compactMap { number in
      if case .image(let change) = Self.plan[number] { (number, change) } else { nil }
    }
    if let (number, change) = changes.last, !change.isDurable {
      images.append(steps[number - 1].images)
    }
    let allowed: [StoreContents?] = known.flatMap { contents in
      images.map { images in
        var contents = contents
        contents.images = images
        return contents
      }
    }
    return allowed + (count == 0 ? [nil] : [])
  }

  // MARK: The steps

  private enum Step {
    case ingest(
      String, count: Int, padding: Int, full: Bool = false, isDocument: Bool = false)
    case append(String, count: Int, isDocument: Bool = false)
    case delete(String)
    case compact
    case image(ImageChange)

    static func put(_ name: String, _ count: Int, _ tag: Int, durable: Bool = false) -> Step {
      .image(.put(name, KnownImage(tag: tag, count: count), isDurable: durable))
    }

    func apply(to contents: inout StoreContents, _ number: Int) {
      switch self {
      case .ingest(let feed, let count, let padding, _, let isDocument):
        contents.feeds[feed] = [
          KnownRecords(tag: number, count: count, padding: padding, isDocument: isDocument)
        ]
      case .append(let feed, let count, let isDocument):
        contents.feeds[feed, default: []].append(
          KnownRecords(tag: number, count: count, isDocument: isDocument))
      case .delete(let feed): contents.feeds[feed] = nil
      case .compact, .image: break
      }
    }
  }

  private static let plan: [Step] = [
    .ingest("one", count: 40, padding: 40), .ingest("one", count: 300, padding: 700),
    .ingest("two", count: 60, padding: 3000, full: true), .append("one", count: 30),
    .ingest("one", count: 50, padding: 40), .append("two", count: 10), .delete("one"),
    .ingest("documents", count: 40, padding: 100, isDocument: true),
    .append("documents", count: 20, isDocument: true),
    .put("small", 900, 1), .put("large", 300_000, 2, durable: true), .put("small", 5_000, 3),
    .compact, .ingest("three", count: 200, padding: 900),
    .ingest("documents", count: 60, padding: 40, full: true, isDocument: true),
    .ingest("two", count: 30, padding: 40, full: true),
    .append("three", count: 20), .append("three", count: 20), .delete("two"),
    .ingest("three", count: 30, padding: 40, isDocument: true), .delete("documents"),
    .put("second", 290_000, 4), .put("third", 280_000, 5), .image(.remove("small")),
    .compact, .ingest("one", count: 120, padding: 500),
    // These images evict others.
    .put("fourth", 270_000, 6), .put("large", 310_000, 7, durable: true), .put("fifth", 2_000, 8),
  ]

  private static func run(
    _ step: Step, _ number: Int, _ options: TortureOptions, store: String, recording: String
  ) throws {
    var environment = [
      "LD_PRELOAD": options.preload, "TORTURE_RECORD": recording,
      "TORTURE_ROOT": options.workspace + "/recorded",
    ]
    environment["TORTURE_FAULT"] = options.fault
    let process: RunningCommand
    if case .image(let change) = step {
      process = try options.child(
        of: CrashStates.self, ["image", store] + change.words, environment: environment,
        errors: .descriptor(STDERR_FILENO))
    } else {
      let words = try words(step, number, options, store)
      process = try options.start(words, environment: environment)
    }
    let status = process.wait()
    try demand(status == 0, "\(step) ended with \(status)")
  }

  private static func words(
    _ step: Step, _ number: Int, _ options: TortureOptions, _ store: String
  ) throws -> [String] {
    var contents = StoreContents()
    step.apply(to: &contents, number)
    var words: [String]
    switch step {
    case .ingest(let feed, _, _, let full, _):
      words = ["ingest", "--feed", feed, "--durability", full ? "full" : "cache"]
    case .append(let feed, _, _): words = ["ingest", "--feed", feed, "--append"]
    case .delete(let feed): words = ["delete", feed]
    case .compact, .image: words = ["store", "compact"]
    }
    words += ["--store", store]
    if let batch = contents.feeds.values.first?.first {
      let payload = options.workspace + "/payload.ndjson"
      try batch.write(to: payload)
      words += [payload, "--quiet"] + batch.words
    }
    return words
  }
}
