import FeedRecord
import Foundation
import TestSupport

/// Views of records and blocks over hostile bytes. They may throw errors, but must not trap or read
/// out of bounds.
enum HostileInputs: TorturePart {
  static let name = "hostile-views"
  static let faults = ["an offset that is not checked"]

  private static let workers = 2

  static func run(_ options: TortureOptions) throws -> String {
    let count = options.pick(ci: 300_000, full: 10_000_000) / workers
    let running = try (0..<workers).map { worker in
      try options.child(
        of: Self.self,
        [
          note(worker, options.workspace), "\(options.seed &+ UInt64(worker) << 32)", "\(count)",
          options.fault ?? "",
        ])
    }
    for (worker, process) in running.enumerated() {
      let status = process.wait()
      if status == 0 { continue }
      let last = try String(contentsOfFile: note(worker, options.workspace), encoding: .utf8)
      guard let seed = UInt64(last) else {
        throw TortureFailure("a process ended with \(status)")
      }
      throw TortureFailure(
        "a process that read an input ended with \(status):"
          + " \(Data(input(seed, HostileViews.corpus())).base64EncodedString())")
    }
    return "\(count * workers) inputs, all within their bounds"
  }

  static func child(_ words: [String]) throws {
    guard words.count == 4, let first = UInt64(words[1]), let count = UInt64(words[2]) else {
      throw TortureFailure("NOTE SEED COUNT FAULT")
    }
    let isPlanted = !words[3].isEmpty
    let note = open(words[0], O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(note) }
    let memory = try GuardedBytes(capacity: 1 << 16)
    let corpus = HostileViews.corpus()
    var believed: UInt64 = 0
    for seed in first..<first + count {
      // If this process crashes, its parent reads the seed of the input from the note.
      let text = Array("\(seed)".utf8)
      pwrite(note, text, text.count, 0)
      let input = input(seed, corpus)
      try memory.with(input, atEnd: seed % 2 == 0) { bytes in
        if HostileViews.take(bytes) { believed += 1 }
        if isPlanted { trust(bytes) }
      }
    }
    // Otherwise most inputs were rejected at the first check.
    try demand(believed > count / 4, "only \(believed) of \(count) inputs were taken for anything")
    print(believed)
  }

  private static func note(_ worker: Int, _ workspace: String) -> String {
    "\(workspace)/note-\(worker)"
  }

  /// A mutation of a valid input, or, once in eight, noise.
  private static func input(_ seed: UInt64, _ corpus: [[UInt8]]) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let original = corpus[Int.random(in: 0..<corpus.count, using: &random)]
    guard Int.random(in: 0..<8, using: &random) == 0 else {
      let bytes = Array(original.dropFirst())
      return original.prefix(1) + Mutation.mutated(bytes, using: &random)
    }
    // Sometimes includes the magic and version, so that the noise passes more checks.
    let believed = original.prefix([1, 7].randomElement(using: &random) ?? 1)
    let noise = Int.random(in: 0..<600, using: &random)
    return believed + (0..<noise).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  /// The planted fault: a reader that follows the number of records of a block to their starts.
  private static func trust(_ input: RawSpan) {
    guard input.byteCount > 41, input.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == 0 else {
      return
    }
    let count = Int(input.unsafeLoadUnaligned(fromByteOffset: 29, as: UInt32.self))
    let start = input.byteCount - 2 * count
    HostileReading.use(input.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt16.self))
  }
}
