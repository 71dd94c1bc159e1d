import Foundation
import TestSupport

/// The file stays near the cap and memory stays flat, however many images are stored. Images that
/// are requested repeatedly stay.
enum SoakedImages: TorturePart {
  static let name = "images"
  static let faults = ["a cap that is not held"]

  static func run(_ options: TortureOptions) throws -> String {
    let note = options.workspace + "/figures"
    // A separate process, so that only the store uses its memory.
    let process = try options.child(
      of: Self.self,
      [
        note, "\(options.pick(ci: 64 << 20, full: 512 << 20))", "\(options.seed)",
        options.fault ?? "",
      ])
    let status = process.wait()
    let text = (try? String(contentsOfFile: note, encoding: .utf8)) ?? ""
    try demand(status == 0, "a process ended with \(status): \(text)")
    return text
  }

  static func child(_ words: [String]) throws {
    guard words.count == 4, let cap = Int(words[1]), let seed = UInt64(words[2]) else {
      throw TortureFailure("NOTE CAP SEED FAULT")
    }
    let note = URL(fileURLWithPath: words[0])
    do {
      let figures = try ImageSoak.run(
        capBytes: cap, multiple: 20, seed: seed, inMemory: true,
        actualCap: words[3].isEmpty ? nil : 2 * cap)
      try Data(figures.utf8).write(to: note)
    } catch {
      try Data("\(error)".utf8).write(to: note)
      throw error
    }
  }
}
