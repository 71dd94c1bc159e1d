/// The hash of a record's key and the record's ordinal in its segment.
struct KeyPair: Hashable, Sendable {
  var hash: UInt64
  var ordinal: UInt32
}

extension [KeyPair] {
  /// Sorts by hash; pairs of one hash stay in the order they had.
  ///
  /// A radix sort by digits of 11 bits, least significant first: six passes
  /// over the pairs, whatever they are.
  mutating func sortByHash() {
    let digitBits = 11
    let mask = UInt64(1 << digitBits - 1)
    var other = [KeyPair](repeating: KeyPair(hash: 0, ordinal: 0), count: count)
    for shift in stride(from: 0, to: UInt64.bitWidth, by: digitBits) {
      var positions = [Int](repeating: 0, count: 1 << digitBits)
      for pair in self { positions[Int(pair.hash >> UInt64(shift) & mask)] += 1 }
      var sum = 0
      for digit in positions.indices {
        (positions[digit], sum) = (sum, sum + positions[digit])
      }
      for pair in self {
        let digit = Int(pair.hash >> UInt64(shift) & mask)
        other[positions[digit]] = pair
        positions[digit] += 1
      }
      swap(&self, &other)
    }
  }
}
