@_spi(Records) import JSONStream

/// Looks for some bytes in others, which may come piece by piece. Capital letters of ASCII are as
/// small ones.
///
/// The time grows with the bytes that are looked at, and not with those that are wanted (Knuth,
/// Morris, Pratt: Fast Pattern Matching in Strings): a client chooses these.
struct ByteSearch: Sendable {
  private let wanted: [UInt8]
  /// After so many of the wanted bytes another one came: as many of those that were seen last may
  /// still be the first wanted ones.
  private let fallbacks: [Int]

  init(_ bytes: some Sequence<UInt8>) {
    let wanted = bytes.map(Self.folded)
    var fallbacks = Array(repeating: 0, count: wanted.count)
    var count = 0
    for index in wanted.indices.dropFirst() {
      while count > 0, wanted[index] != wanted[count] { count = fallbacks[count - 1] }
      if wanted[index] == wanted[count] { count += 1 }
      fallbacks[index] = count
    }
    self.wanted = wanted
    self.fallbacks = fallbacks
  }

  var count: Int { wanted.count }

  /// Looks at a further piece.
  ///
  /// - Parameter matched: how many of the wanted bytes the pieces before end with.
  /// - Returns: the same with this piece; `count` where all of them were found.
  func matched(after matched: Int, in piece: borrowing RawSpan) -> Int {
    // Looked up in place for each byte, they would be counted each time.
    let wanted = wanted.span
    let fallbacks = fallbacks.span
    guard wanted.count > 0 else { return 0 }
    let first = wanted[0]
    var matched = matched
    var index = 0
    while matched < wanted.count, index < piece.byteCount {
      let byte = Self.folded(piece.byte(at: index))
      // Most bytes of most fields begin no match: nothing else is looked up for them.
      if matched == 0, byte != first {
        index += 1
        continue
      }
      while matched > 0, wanted[matched] != byte { matched = fallbacks[matched - 1] }
      if wanted[matched] == byte { matched += 1 }
      index += 1
    }
    return matched
  }

  /// Whether the wanted bytes from a place on begin with these.
  func hasBytes(_ piece: borrowing RawSpan, at start: Int) -> Bool {
    guard start + piece.byteCount <= wanted.count else { return false }
    for index in 0..<piece.byteCount
    where Self.folded(piece.byte(at: index)) != wanted[start + index] {
      return false
    }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
