import CXXHash

/// The seed of a block's checksum: it says where the block belongs, so that a valid block in the
/// wrong place is found out.
package enum BlockSeed {
  /// XXH3-64 over the 20 little-endian bytes of environment id, segment and block number.
  package static func seed(environment: UInt64, segment: UInt64, number: UInt32) -> UInt64 {
    // Swift lays these three out without padding: 20 bytes.
    let place = (environment.littleEndian, segment.littleEndian, number.littleEndian)
    return withUnsafeBytes(of: place) { XXH3_64bits($0.baseAddress, $0.count) }
  }
}
