@_spi(Records) import JSONStream

/// Searches for bytes in other bytes, which may arrive in chunks. It ignores the case of ASCII
/// letters.
///
/// The time depends on the searched bytes, and not on the search text, which a client chooses
/// (Knuth, Morris, Pratt: Fast Pattern Matching in Strings).
struct ByteSearch: Sendable {
  private let wanted: [UInt8]
  /// The failure function: after `count` matched bytes and a mismatch, the element at `count - 1`
  /// is the number of last bytes that may still be a match.
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

  /// Searches the next chunk.
  ///
  /// - Parameter matched: how many of the wanted bytes match the end of the previous chunks.
  /// - Returns: the same count after this chunk; `count` if all of them were found.
  func matched(after matched: Int, in chunk: borrowing RawSpan) -> Int {
    // Spans avoid reference counting for each byte.
    let wanted = wanted.span
    let fallbacks = fallbacks.span
    guard wanted.count > 0 else { return 0 }
    let first = wanted[0]
    var matched = matched
    var index = 0
    while matched < wanted.count, index < chunk.byteCount {
      let byte = Self.folded(chunk.byte(at: index))
      // Most bytes start no match, so they need no other lookup.
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

  /// Whether the wanted bytes from an offset on start with these.
  func hasBytes(_ chunk: borrowing RawSpan, at start: Int) -> Bool {
    guard start + chunk.byteCount <= wanted.count else { return false }
    for index in 0..<chunk.byteCount
    where Self.folded(chunk.byte(at: index)) != wanted[start + index] {
      return false
    }
    return true
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}
