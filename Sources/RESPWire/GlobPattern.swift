/// A pattern of `SCAN MATCH`: `*`, `?`, `[a-z]`, `[^a-z]`, and `\` before a literal character.
package struct GlobPattern: Hashable, Sendable {
  /// The maximum length of a pattern.
  package static let longest = 1 << 10

  private enum Element: Hashable {
    case byte(UInt8)
    /// `?`
    case one
    /// `*`
    case many
    case oneOf(ByteSet)
  }

  private let bytes: [UInt8]
  private let elements: [Element]

  /// Nil if the pattern is too long.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest else { return nil }
    self.bytes = bytes
    elements = Self.elements(of: bytes.span)
  }

  /// Whether every text matches.
  package var matchesAll: Bool { bytes == [UInt8(ascii: "*")] }

  /// The common prefix of all matching texts.
  package var literalPrefix: ArraySlice<UInt8> {
    bytes.prefix { !Array("*?[\\".utf8).contains($0) }
  }

  /// Whether a text with this prefix can match.
  package func canMatch(prefix: some Collection<UInt8>) -> Bool {
    let literal = literalPrefix
    return zip(literal, prefix).allSatisfy { $0 == $1 }
      && (literal.count < bytes.count || prefix.count <= literal.count)
  }

  /// The number of elements: bytes, classes and stars.
  package var count: Int { elements.count }

  /// The maximum number of comparisons to match a text of this length.
  package func steps(forTextOf length: Int) -> Int { length * min(count, length) }

  /// Whether the whole text matches.
  package func matches(_ text: Span<UInt8>) -> Bool {
    let elements = elements.span
    var place = 0
    var next = 0
    // The retry position if the text after the last star does not match: one byte further. Earlier
    // stars need no retry, because the last one can absorb the same bytes.
    var star: (next: Int, place: Int)?
    while place < text.count {
      if next < elements.count, elements[next] == .many {
        next += 1
        star = (next, place)
      } else if next < elements.count, Self.matches(text[place], elements[next]) {
        next += 1
        place += 1
      } else if let last = star {
        star = (last.next, last.place + 1)
        (next, place) = (last.next, last.place + 1)
      } else {
        return false
      }
    }
    while next < elements.count, elements[next] == .many { next += 1 }
    return next == elements.count
  }

  private static func matches(_ byte: UInt8, _ element: Element) -> Bool {
    switch element {
    case .byte(let other): byte == other
    case .one: true
    case .many: false
    case .oneOf(let set): set.contains(byte)
    }
  }

  // MARK: Reading a pattern

  private static func elements(of bytes: Span<UInt8>) -> [Element] {
    var elements: [Element] = []
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "*"):
        if elements.last != .many { elements.append(.many) }
      case UInt8(ascii: "?"):
        elements.append(.one)
      case UInt8(ascii: "["):
        let (set, end) = set(bytes, from: place + 1)
        elements.append(.oneOf(set))
        place = end
        continue
      case UInt8(ascii: "\\") where place + 1 < bytes.count:
        place += 1
        elements.append(.byte(bytes[place]))
      case let other:
        elements.append(.byte(other))
      }
      place += 1
    }
    return elements
  }

  /// A class and its end. Without a closing bracket it extends to the end of the pattern.
  private static func set(_ bytes: Span<UInt8>, from start: Int) -> (ByteSet, end: Int) {
    var place = start
    var set = ByteSet()
    let isNegated = place < bytes.count && bytes[place] == UInt8(ascii: "^")
    if isNegated { place += 1 }
    while place < bytes.count, bytes[place] != UInt8(ascii: "]") {
      if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count {
        set.insert(bytes[place + 1])
        place += 2
      } else if place + 2 < bytes.count, bytes[place + 1] == UInt8(ascii: "-") {
        let (low, high) = (bytes[place], bytes[place + 2])
        for byte in min(low, high)...max(low, high) { set.insert(byte) }
        place += 3
      } else {
        set.insert(bytes[place])
        place += 1
      }
    }
    return (isNegated ? set.inverted : set, min(place + 1, bytes.count))
  }
}

/// A set of bytes.
private struct ByteSet: Hashable {
  /// One bit per byte.
  private var words = SIMD4<UInt64>()

  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  var inverted: ByteSet {
    var set = self
    set.words = ~words
    return set
  }
}
