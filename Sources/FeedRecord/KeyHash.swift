import CXXHash

/// The hash of a record's key, as the indexes hold it.
package enum KeyHash {
  /// XXH3-64 with seed 0.
  package static func hash(_ bytes: RawSpan) -> UInt64 {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }
}
