import FeedCore
import Foundation
import TestSupport

/// Flips single bits of a copy of a store. A forked child reads the whole store after each flip.
///
/// It opens no store itself, because a forked child could hang on the locks of other threads.
struct FlipWorker {
  private let directory: String
  private let disk: FlipDisk
  private let plan: ReadingPlan
  private let flipsLate: Bool
  private var reference: [Int] = []
  private var noteFile: String { directory + "/note" }

  /// - Parameters:
  ///   - source: the store
  ///   - directory: the worker's own directory
  ///   - flipsLate: plants the fault: a bit is flipped after the child has verified all blocks, as
  ///     if blocks had no checksums
  init(copying source: String, to directory: String, flipsLate: Bool) throws {
    self.directory = directory
    self.flipsLate = flipsLate
    disk = try FlipDisk(reading: source)
    plan = try FlipStore.plan()
    try disk.write(to: directory)
    reference = try readReference()
  }

  /// Tries the given number of flips.
  ///
  /// - Parameter findings: the directory for the flips that lead to wrong answers
  func run(_ count: Int, seed: UInt64, findings: String) throws -> FlipTally {
    var random = SeededGenerator(seed: seed)
    return try run(
      (0..<count).lazy.map { number in
        Flip(number: number, disk, &random)
      }, findings)
  }

  /// Tries every flip of a kind of position, or one worker's share of them.
  func run(
    all place: String, share: Int, of workers: Int, findings: String
  ) throws -> FlipTally {
    let flips = Flip.all(in: place, disk)
    try demand(!flips.isEmpty, "no such place: \(place); there are \(disk.names)")
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
      try FlipFinding(flip, note).save(in: "\(findings)/\(name)", disk)
    }
    return tally
  }

  /// The outcome of one flip. For a wrong answer, the note has the read and the expected value.
  func verdict(of flip: Flip) throws -> (FlipVerdict, note: String) {
    try disk.restore(directory)
    unlink(noteFile)
    if !flipsLate { disk.apply(flip, in: directory) }
    let verdict = FlipVerdict(status: try Fork.child(seconds: 20) { read(flip).status })
    let note = verdict.isBroken ? try? String(contentsOfFile: noteFile, encoding: .utf8) : nil
    return (verdict, note ?? "\(verdict.name), and nothing more is known")
  }

  // MARK: In a child

  /// The outcome in the child, which reads the whole store. A wrong answer takes precedence over
  /// all other outcomes.
  private func read(_ flip: Flip) -> FlipVerdict {
    var verdict = FlipVerdict.harmless
    do throws(StoreError) {
      let store = try ReadingPlan.Store(at: directory)
      if flipsLate {
        _ = try plan.answers(of: store)
        disk.apply(flip, in: directory)
      }
      let isOfImages = flip.file == .images || flip.file == .imagesLock
      for (step, expected) in zip(plan.steps, reference)
      where (step.kind == .image) == isOfImages {
        do throws(StoreError) {
          let answer = try plan.answer(step, of: store)
          if answer == ReadingPlan.missing, expected != answer {
            if verdict == .harmless { verdict = .missed }
          } else if answer != expected {
            return wrong(step, "answer \(answer), not \(expected)")
          }
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

  private func readReference() throws -> [Int] {
    let file = directory + "/reference"
    let status = try Fork.child(seconds: 60) {
      guard let answers = try? plan.answers(of: ReadingPlan.Store(at: directory)) else { return 1 }
      let text = answers.map { "\($0)" }.joined(separator: " ")
      return FileManager.default.createFile(atPath: file, contents: Data(text.utf8)) ? 0 : 1
    }
    try demand(status == 0, "the store cannot be read before any flip: \(status)")
    return try String(contentsOfFile: file, encoding: .utf8).split(separator: " ").compactMap {
      Int($0)
    }
  }
}
