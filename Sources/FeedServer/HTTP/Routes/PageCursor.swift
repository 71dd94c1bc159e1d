/// Where a walk through the pages of a feed goes on: in which generation, and behind how many of
/// its records.
struct PageCursor: Sendable, Hashable, CustomStringConvertible {
  let generation: UInt64
  let position: Int

  init(generation: UInt64, position: Int) {
    self.generation = generation
    self.position = position
  }

  /// Reads what `description` has written; nil for anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let generation = UInt64(parts[0], radix: 36),
      let position = Int(parts[1], radix: 36), position >= 0
    else { return nil }
    self.init(generation: generation, position: position)
  }

  var description: String {
    "\(String(generation, radix: 36)).\(String(position, radix: 36))"
  }
}
