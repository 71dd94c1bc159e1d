import Foundation
import TestSupport

/// Steps that were done once with every system call recorded, and what the store held after each.
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
      step.apply(to: &contents, number)
      let found = try verifier.contents(root + "/store")
      try demand(
        found == contents, "step \(number + 1) left \(found.map(\.description) ?? "nothing")")
      try Recording.acknowledge(file)
      steps.append(contents)
    }
    recording = try Recording(file)
  }

  /// What may be found when so many steps were acknowledged: that, or the step under way as well.
  func allowed(after count: Int) -> [StoreContents?] {
    let before: [StoreContents?] = count == 0 ? [nil, StoreContents()] : [steps[count - 1]]
    return before + steps[count...].prefix(1).map(Optional.some)
  }

  // MARK: The steps

  private enum Step {
    case ingest(String, count: Int, padding: Int, full: Bool = false)
    case append(String, count: Int)
    case delete(String)
    case compact

    func apply(to contents: inout StoreContents, _ number: Int) {
      switch self {
      case .ingest(let feed, let count, let padding, _):
        contents.feeds[feed] = [KnownRecords(tag: number, count: count, padding: padding)]
      case .append(let feed, let count):
        contents.feeds[feed, default: []].append(KnownRecords(tag: number, count: count))
      case .delete(let feed): contents.feeds[feed] = nil
      case .compact: break
      }
    }
  }

  private static let plan: [Step] = [
    .ingest("one", count: 40, padding: 40), .ingest("one", count: 300, padding: 700),
    .ingest("two", count: 60, padding: 3000, full: true), .append("one", count: 30),
    .ingest("one", count: 50, padding: 40), .append("two", count: 10), .delete("one"),
    .compact, .ingest("three", count: 200, padding: 900),
    .ingest("two", count: 30, padding: 40, full: true),
    .append("three", count: 20), .append("three", count: 20), .delete("two"),
    .compact, .ingest("one", count: 120, padding: 500),
  ]

  private static func run(
    _ step: Step, _ number: Int, _ options: TortureOptions, store: String, recording: String
  ) throws {
    var contents = StoreContents()
    step.apply(to: &contents, number)
    var words: [String]
    switch step {
    case .ingest(let feed, _, _, let full):
      words = ["ingest", "--feed", feed, "--durability", full ? "full" : "cache"]
    case .append(let feed, _): words = ["ingest", "--feed", feed, "--append"]
    case .delete(let feed): words = ["delete", feed]
    case .compact: words = ["store", "compact"]
    }
    words += ["--store", store]
    if let batch = contents.feeds.values.first?.first {
      let payload = options.workspace + "/payload.ndjson"
      try batch.write(to: payload)
      words += [payload, "--quiet"]
    }
    var environment = [
      "LD_PRELOAD": options.preload, "TORTURE_RECORD": recording,
      "TORTURE_ROOT": options.workspace + "/recorded",
    ]
    environment["TORTURE_FAULT"] = options.fault
    let status = try options.start(words, environment: environment).wait()
    try demand(status == 0, "`feedcore \(words.joined(separator: " "))` ended with \(status)")
  }
}
