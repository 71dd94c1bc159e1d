import LMDB

/// Remembers the images whose bytes this process has verified, up to a fixed number. Verifying an
/// image again costs less than unbounded memory.
///
/// An image is identified by its generation and its mapping, because a restored file may use the
/// same number for another image.
struct ImageChecks: Sendable {
  /// Several slots per hash, so that images rarely displace each other.
  private static let setSize: UInt32 = 4
  private static let setCount: UInt32 = 1 << 13
  private static let generationBits = 44

  /// Each slot identifies one verified image in one number; 0 is an empty slot.
  private let places = AtomicNumbers(count: UInt64(setCount * setSize))

  func isVerified(_ key: ImageKey, _ generation: UInt64, inMapping mapping: UInt) -> Bool {
    guard let mark = Self.mark(generation, mapping) else { return false }
    return Self.places(of: key).contains { places[$0] == mark }
  }

  func verified(_ key: ImageKey, _ generation: UInt64, inMapping mapping: UInt) {
    guard let mark = Self.mark(generation, mapping) else { return }
    let own = Self.places(of: key)
    let chosen = own.lowerBound + UInt32(truncatingIfNeeded: generation) % Self.setSize
    places.set(own.first { places[$0] == 0 } ?? chosen, mark)
  }

  private static func places(of key: ImageKey) -> Range<UInt32> {
    let start = UInt32(truncatingIfNeeded: key.hash) % setCount * setSize
    return start..<start + setSize
  }

  /// Combines both numbers; nil if they do not fit, which no process will reach.
  private static func mark(_ generation: UInt64, _ mapping: UInt) -> UInt64? {
    guard mapping > 0, generation >> generationBits == 0, mapping >> (64 - generationBits) == 0
    else {
      return nil
    }
    return UInt64(mapping) << generationBits | generation
  }
}
