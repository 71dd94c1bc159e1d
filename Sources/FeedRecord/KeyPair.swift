/// An entry of an index: the hash of a record's key, as far as indexes hold it, and the record's
/// ordinal in its segment.
///
/// Public behind an SPI for the same reason as `RecordEncoder`: one is made for every record.
@_spi(Ingest) public struct KeyPair: Hashable, Sendable, BitwiseCopyable {
  /// The upper half of a `KeyHash`.
  public var hash: UInt32
  public var ordinal: UInt32

  @inlinable
  public init(hash: UInt32, ordinal: UInt32) {
    self.hash = hash
    self.ordinal = ordinal
  }

  /// - Parameter keyHash: `KeyHash` of the key's bytes.
  @inlinable
  public init(keyHash: UInt64, ordinal: UInt32) {
    self.init(hash: UInt32(truncatingIfNeeded: keyHash >> 32), ordinal: ordinal)
  }
}

@_spi(Ingest) extension [KeyPair] {
  /// Sorts by hash; pairs of one hash stay in the order they had.
  ///
  /// A radix sort by digits of 11 bits, least significant first: three passes
  /// over the pairs, whatever they are.
  package mutating func sortByHash() {
    var other = [KeyPair](repeating: KeyPair(hash: 0, ordinal: 0), count: count)
    for shift in stride(from: 0, to: UInt32.bitWidth, by: Self.digitBits) {
      var target = other.mutableSpan
      Self.distribute(span, byDigitAt: UInt32(shift), into: &target)
      swap(&self, &other)
    }
  }

  private static var digitBits: Int { 11 }

  private static func distribute(
    _ pairs: Span<KeyPair>, byDigitAt shift: UInt32, into target: inout MutableSpan<KeyPair>
  ) {
    let mask = UInt32(1 << digitBits - 1)
    var positions = [Int](repeating: 0, count: 1 << digitBits)
    for index in pairs.indices { positions[Int(pairs[index].hash >> shift & mask)] += 1 }
    var sum = 0
    for digit in positions.indices {
      (positions[digit], sum) = (sum, sum + positions[digit])
    }
    for index in pairs.indices {
      let digit = Int(pairs[index].hash >> shift & mask)
      target[positions[digit]] = pairs[index]
      positions[digit] += 1
    }
  }
}
