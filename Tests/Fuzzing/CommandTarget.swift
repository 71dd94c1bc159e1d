import RESPWire
import TestSupport

/// Decodes any bytes as commands, in chunks of several sizes with equal results, and matches two
/// parts of them as a pattern and a text.
///
/// The first byte of an input chooses the limits and the chunk sizes.
enum CommandTarget: FuzzTarget {
  static func take(_ input: RawSpan) {
    guard !input.isEmpty else { return }
    let bytes = input.withUnsafeBytes { Array($0) }
    let choice = Int(bytes[0])
    var limits = choice & 1 == 0 ? RESPLimits() : .unauthenticated
    if choice & 2 != 0 { (limits.commandBytes, limits.bulkBytes) = (64, 24) }
    let text = Array(bytes.dropFirst())
    let whole = Decoded(text, limits, pieces: [text.count])
    let other = Decoded(text, limits, pieces: [1 + choice >> 2, 1, 13])
    precondition(whole == other, "the pieces in which bytes come make a difference")
    match(text)
  }

  private static func match(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: 0) else { return }
    guard let pattern = GlobPattern(Array(bytes[..<end])) else { return }
    let text = Array(bytes[(end + 1)...].prefix(1 << 10))
    let isMatch = pattern.matches(text.span)
    precondition(!isMatch || pattern.canMatch(prefix: text), "a text matches that cannot")
    precondition(!pattern.matchesAll || isMatch, "a star matches everything")
  }

  static func corpus(_ seeds: SeedDocuments) -> [[UInt8]] {
    CommandSamples.all.enumerated().map { [UInt8($0 * 17 % 256)] + $1 }
      + ["a*b\0axb", "[a-c]?\\*\0bx*", "[^a\0b"].map { [0] + Array($0.utf8) }
  }
}
