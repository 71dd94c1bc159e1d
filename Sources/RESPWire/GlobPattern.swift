/// A pattern as `SCAN MATCH` takes it: `*`, `?`, `[a-z]`, `[^a-z]`, and `\` before what is meant
/// as it is.
package struct GlobPattern: Hashable, Sendable {
  /// Longer patterns are refused: in the worst case the work is the product of both lengths.
  package static let longest = 1 << 10

  private let bytes: [UInt8]

  /// Nil for a pattern that is too long.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest else { return nil }
    self.bytes = bytes
  }

  /// Whether every text matches.
  package var matchesAll: Bool { bytes == [UInt8(ascii: "*")] }

  /// What every text that matches begins with.
  package var literalPrefix: ArraySlice<UInt8> {
    bytes.prefix { !Array("*?[\\".utf8).contains($0) }
  }

  /// Whether a text of any continuation of this begin can match.
  package func canMatch(prefix: some Collection<UInt8>) -> Bool {
    let literal = literalPrefix
    return zip(literal, prefix).allSatisfy { $0 == $1 }
      && (literal.count < bytes.count || prefix.count <= literal.count)
  }

  /// Whether the whole text matches.
  package func matches(_ text: Span<UInt8>) -> Bool {
    var place = 0
    var next = 0
    // Where to go on if what follows the last star does not match here: one byte further. The
    // stars before it need no second look, as the last one can take up what they would.
    var star: (next: Int, place: Int)?
    while place < text.count {
      if next < bytes.count, bytes[next] == UInt8(ascii: "*") {
        next += 1
        star = (next, place)
      } else if next < bytes.count, let after = match(text[place], at: next) {
        next = after
        place += 1
      } else if let last = star {
        star = (last.next, last.place + 1)
        (next, place) = (last.next, last.place + 1)
      } else {
        return false
      }
    }
    while next < bytes.count, bytes[next] == UInt8(ascii: "*") { next += 1 }
    return next == bytes.count
  }

  /// Where the pattern goes on behind the element at a place; nil if a byte does not match it.
  private func match(_ byte: UInt8, at place: Int) -> Int? {
    switch bytes[place] {
    case UInt8(ascii: "?"):
      return place + 1
    case UInt8(ascii: "["):
      return matchClass(byte, at: place + 1)
    case UInt8(ascii: "\\") where place + 1 < bytes.count:
      return bytes[place + 1] == byte ? place + 2 : nil
    case let other:
      return other == byte ? place + 1 : nil
    }
  }

  /// A class without its end goes to the end of the pattern.
  private func matchClass(_ byte: UInt8, at start: Int) -> Int? {
    var place = start
    var isIn = false
    let isNegated = place < bytes.count && bytes[place] == UInt8(ascii: "^")
    if isNegated { place += 1 }
    while place < bytes.count, bytes[place] != UInt8(ascii: "]") {
      if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count {
        isIn = isIn || bytes[place + 1] == byte
        place += 2
      } else if place + 2 < bytes.count, bytes[place + 1] == UInt8(ascii: "-") {
        let (low, high) = (bytes[place], bytes[place + 2])
        isIn = isIn || (min(low, high)...max(low, high)).contains(byte)
        place += 3
      } else {
        isIn = isIn || bytes[place] == byte
        place += 1
      }
    }
    return isIn != isNegated ? min(place + 1, bytes.count) : nil
  }
}
