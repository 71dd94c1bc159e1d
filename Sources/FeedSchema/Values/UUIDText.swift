import CFeedScan
@_spi(Records) import JSONStream

/// Hyphenated UUIDs (RFC 9562, section 4).
package enum UUIDText {
  /// The 16 bytes of a UUID in two halves, most significant first; nil if the text is not a UUID.
  @inline(__always)
  package static func parse(_ text: borrowing RawSpan) -> (high: UInt64, low: UInt64)? {
    guard text.byteCount == 36 else { return nil }
    var halves: (UInt64, UInt64) = (0, 0)
    // The source has 36 bytes, and `halves` has the 16 that are written.
    let isRead = text.withUnsafeBytes { bytes in
      withUnsafeMutableBytes(of: &halves) { result in
        guard let source = bytes.baseAddress, let target = result.baseAddress else { return false }
        return feedscan_read_uuid(source, target)
      }
    }
    return isRead ? (UInt64(bigEndian: halves.0), UInt64(bigEndian: halves.1)) : nil
  }

  /// The text of a UUID, with digits in upper case.
  package static func text(high: UInt64, low: UInt64) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(36)
    for digit in 0..<32 {
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 { result.append(0x2D) }
      let half = digit < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit % 16))) & 0xF
      result.append(value < 10 ? 0x30 + value : 0x41 + value - 10)
    }
    return result
  }

  /// The 16 bytes, the form in which a key is hashed.
  package static func bytes(high: UInt64, low: UInt64) -> [16 of UInt8] {
    [16 of UInt8] { index in
      let half = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8)))
    }
  }
}
