import FeedCore
import Foundation
import TestSupport

/// Flips bits of a copy of a store, one at a time, and has a forked child read all of it each time.
///
/// Opens no store itself: a child of a process with threads could hang on what they hold.
struct FlipWorker {
  private let directory: String
  private let data: [UInt8]
  private let lock: [UInt8]
  private let map: PageMap
  private let plan: ReadingPlan
  private let flipsLate: Bool
  private var reference: [Int] = []
  private var noteFile: String { directory + "/note" }

  /// - Parameters:
  ///   - source: the store
  ///   - directory: a directory of the worker's own
  ///   - flipsLate: plants the fault: a bit is flipped when the child has verified all blocks and
  ///     will not do so again, as if blocks had no checksums
  init(copying source: String, to directory: String, flipsLate: Bool) throws {
    self.directory = directory
    self.flipsLate = flipsLate
    data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source + "/feeds/data.mdb")))
    lock = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source + "/feeds/lock.mdb")))
    map = PageMap(data)
    plan = try FlipStore.plan()
    try FileManager.default.createDirectory(
      atPath: directory + "/feeds", withIntermediateDirectories: true)
    reference = try readReference()
  }

  /// Tries so many flips.
  ///
  /// - Parameter findings: where those are saved that lead to something wrong
  func run(_ count: Int, seed: UInt64, findings: String) throws -> FlipTally {
    var random = SeededGenerator(seed: seed)
    return try run(
      (0..<count).lazy.map { number in
        Flip(number: number, map, dataCount: data.count, lockCount: lock.count, &random)
      }, findings)
  }

  /// Tries every flip of a kind of place, or the share of it that falls to one of several workers.
  func run(
    all place: String, share: Int, of workers: Int, findings: String
  ) throws -> FlipTally {
    let flips = Flip.all(in: place, map)
    try demand(!flips.isEmpty, "no such place: \(place); there are \(map.names)")
    return try run(
      stride(from: share, to: flips.count, by: workers).lazy.map { flips[$0] }, findings)
  }

  private func run(_ flips: some Sequence<Flip>, _ findings: String) throws -> FlipTally {
    var tally = FlipTally()
    for flip in flips {
      let (verdict, note) = try verdict(of: flip)
      tally.add(flip, verdict)
      if !verdict.isBroken { continue }
      let name = "\(verdict.name) \(flip.offset) \(flip.bit)".replacing(" ", with: "-")
      try FlipFinding(flip, note).save(in: "\(findings)/\(name)", data: data, lock: lock)
    }
    return tally
  }

  /// What became of one flip; of a wrong answer, what was read and what was expected.
  func verdict(of flip: Flip) throws -> (FlipVerdict, note: String) {
    try restore()
    unlink(noteFile)
    if !flipsLate { apply(flip) }
    let verdict = FlipVerdict(status: try Fork.child(seconds: 20) { read(flip).status })
    let note = verdict.isBroken ? try? String(contentsOfFile: noteFile, encoding: .utf8) : nil
    return (verdict, note ?? "\(verdict.name), and nothing more is known")
  }

  // MARK: In a child

  /// What the child that reads everything of a store has seen. A wrong answer is worse than
  /// whatever else is found out.
  private func read(_ flip: Flip) -> FlipVerdict {
    var verdict = FlipVerdict.harmless
    do throws(StoreError) {
      let database = try open()
      if flipsLate {
        _ = try plan.answers(of: database)
        apply(flip)
      }
      for (step, expected) in zip(plan.steps, reference) {
        do throws(StoreError) {
          let answer = try plan.answer(step, of: database)
          if answer != expected { return wrong(step, "answer \(answer), not \(expected)") }
        } catch {
          if error.code == .notFound { return wrong(step, "\(error)") }
          verdict = error.code == .damaged ? .damaged : .otherError
        }
      }
    } catch {
      return error.code == .damaged ? .damaged : .otherError
    }
    return verdict
  }

  private func wrong(_ step: ReadingPlan.Step, _ found: String) -> FlipVerdict {
    _ = FileManager.default.createFile(
      atPath: noteFile, contents: Data("\(step): \(found)".utf8))
    return .wrong(step.kind)
  }

  private func open() throws(StoreError) -> FeedDatabase {
    try FeedDatabase.open(
      at: directory, options: FeedDatabase.Options(createsMissing: false))
  }

  private func readReference() throws -> [Int] {
    try restore()
    let file = directory + "/reference"
    let status = try Fork.child(seconds: 60) {
      guard let answers = try? plan.answers(of: open()) else { return 1 }
      let text = answers.map { "\($0)" }.joined(separator: " ")
      return FileManager.default.createFile(atPath: file, contents: Data(text.utf8)) ? 0 : 1
    }
    try demand(status == 0, "the store cannot be read before any flip: \(status)")
    return try String(contentsOfFile: file, encoding: .utf8).split(separator: " ").compactMap {
      Int($0)
    }
  }

  // MARK: The files

  /// Makes both files what they were: a child may have written to them, and has left its locks.
  private func restore() throws {
    for (file, bytes) in [(Flip.File.data, data), (.lock, lock)] {
      let path = path(file)
      let descriptor = Glibc.open(path, O_WRONLY | O_CREAT, 0o600)
      defer { close(descriptor) }
      try demand(
        ftruncate(descriptor, bytes.count) == 0
          && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
        "cannot write \(path): \(errno)")
    }
  }

  private func apply(_ flip: Flip) {
    let original = flip.file == .data ? data[flip.offset] : lock[flip.offset]
    let descriptor = Glibc.open(path(flip.file), O_WRONLY)
    defer { close(descriptor) }
    var byte = original ^ flip.bit
    pwrite(descriptor, &byte, 1, off_t(flip.offset))
  }

  private func path(_ file: Flip.File) -> String { "\(directory)/feeds/\(file.rawValue)" }
}
