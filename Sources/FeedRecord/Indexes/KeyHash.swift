import CXXHash

/// The hash of a record's key, as stored in the indexes.
package enum KeyHash {
  /// XXH3-64 with seed 0.
  package static func hash(_ bytes: RawSpan) -> UInt64 {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }

  /// XXH3-128 with seed 0. It stands for a key until the keys themselves are compared.
  package static func wideHash(_ bytes: RawSpan) -> UInt128 {
    // The library reads the borrowed bytes during the call only.
    let hash = bytes.withUnsafeBytes { XXH3_128bits($0.baseAddress, $0.count) }
    return UInt128(hash.high64) << 64 | UInt128(hash.low64)
  }
}
