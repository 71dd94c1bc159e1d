import CXXHash

/// The seed of a block's checksum. It encodes the block's position, so that a valid block in the
/// wrong position is detected.
package enum BlockSeed {
  /// XXH3-64 over the 20 little-endian bytes of environment id, segment and block number.
  package static func seed(environment: UInt64, segment: UInt64, number: UInt32) -> UInt64 {
    // Swift lays out these three without padding: 20 bytes.
    let place = (environment.littleEndian, segment.littleEndian, number.littleEndian)
    return withUnsafeBytes(of: place) { XXH3_64bits($0.baseAddress, $0.count) }
  }
}
