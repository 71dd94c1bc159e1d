import CXXHash

/// An entry of an index: the stored part of a key's hash, and the ordinal of the record in its
/// segment.
///
/// It is public with an SPI for the same reason as `RecordEncoder`: one is created per record.
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
  /// Sorts by hash; the sort is stable.
  ///
  /// This is a radix sort by digits of up to 11 bits, least significant first. It takes three
  /// passes over the pairs, and fewer if their hashes are close together.
  package mutating func sortByHash() {
    guard let first else { return }
    var (minimum, maximum) = (first.hash, first.hash)
    for pair in self {
      minimum = Swift.min(minimum, pair.hash)
      maximum = Swift.max(maximum, pair.hash)
    }
    let bits = UInt32.bitWidth - (maximum - minimum).leadingZeroBitCount
    let passes = (bits + Self.digitBits - 1) / Self.digitBits
    guard passes > 0 else { return }
    let digit = (bits + passes - 1) / passes
    var other = [KeyPair](repeating: KeyPair(hash: 0, ordinal: 0), count: count)
    for pass in 0..<passes {
      var target = other.mutableSpan
      Self.distribute(
        span, by: Digit(base: minimum, shift: UInt32(pass * digit), count: 1 << digit),
        into: &target)
      swap(&self, &other)
    }
  }

  private static var digitBits: Int { 11 }

  /// One digit of the difference between a hash and a base.
  private struct Digit {
    let base: UInt32
    let shift: UInt32
    /// The number of values of the digit: a power of two.
    let count: Int

    @inline(__always)
    func callAsFunction(_ pair: KeyPair) -> Int {
      Int((pair.hash &- base) &>> shift) & (count &- 1)
    }
  }

  private static func distribute(
    _ pairs: Span<KeyPair>, by digit: Digit, into target: inout MutableSpan<KeyPair>
  ) {
    var positions = [Int](repeating: 0, count: digit.count)
    for index in pairs.indices { positions[digit(pairs[index])] += 1 }
    var sum = 0
    for digit in positions.indices {
      (positions[digit], sum) = (sum, sum + positions[digit])
    }
    for index in pairs.indices {
      let digit = digit(pairs[index])
      target[positions[digit]] = pairs[index]
      positions[digit] += 1
    }
  }
}

/// The hash of a record's key, as stored in the indexes.
package enum KeyHash {
  /// The longest input that XXH3 hashes without a loop over stripes.
  private static let shortCount = 240

  /// XXH3-64 with seed 0.
  package static func hash(_ bytes: RawSpan) -> UInt64 {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { bytes in
      bytes.count <= shortCount
        ? feedcore_short_hash(bytes.baseAddress, bytes.count)
        : XXH3_64bits(bytes.baseAddress, bytes.count)
    }
  }

  /// XXH3-128 with seed 0. It represents a key until the keys themselves are compared.
  package static func wideHash(_ bytes: RawSpan) -> UInt128 {
    // The library reads the borrowed bytes during the call only.
    let hash = bytes.withUnsafeBytes { XXH3_128bits($0.baseAddress, $0.count) }
    return UInt128(hash.high64) << 64 | UInt128(hash.low64)
  }
}
