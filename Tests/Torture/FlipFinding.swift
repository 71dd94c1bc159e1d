import Foundation

/// A flip after which a read was wrong, with the original store: all that is needed to repeat the
/// read.
struct FlipFinding {
  let flip: Flip
  /// What was read, and what was expected.
  let note: String

  init(_ flip: Flip, _ note: String) {
    self.flip = flip
    self.note = note
  }

  /// Reads a saved finding.
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
