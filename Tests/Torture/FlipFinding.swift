import Foundation

/// A flip after which something wrong was read, with the store as it was before: all that it takes
/// to see it again.
struct FlipFinding {
  let flip: Flip
  /// What was read, and what was expected.
  let note: String

  init(_ flip: Flip, _ note: String) {
    self.flip = flip
    self.note = note
  }

  /// Reads one that was saved.
  init(in directory: String) throws {
    let text = try String(contentsOfFile: directory + "/flip.txt", encoding: .utf8)
    let lines = text.split(separator: "\n", maxSplits: 1)
    guard let first = lines.first, let flip = Flip(line: first) else {
      throw TortureFailure("\(directory) holds no flip")
    }
    self.init(flip, lines.count > 1 ? String(lines[1]) : "")
  }

  /// Saves it in a new directory.
  func save(in directory: String, _ disk: FlipDisk) throws {
    try disk.write(to: directory)
    try Data("\(flip.line)\n\(note)\n".utf8)
      .write(to: URL(fileURLWithPath: directory + "/flip.txt"))
  }
}
