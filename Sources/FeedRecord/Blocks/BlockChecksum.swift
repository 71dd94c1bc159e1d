import CXXHash

/// The checksum of both kinds of block, at bytes 8 to 15 of the header.
///
/// XXH3-64 over all bytes after the checksum. The eight bytes before it (magic, version and field
/// count or flags) are XORed into the seed, so that every byte of the block counts.
enum BlockChecksum {
  static var offset: Int { BlockFormat.Header.checksum }

  /// - Parameter block: at least a header; both kinds of block check that before the call.
  static func checksum(of block: RawSpan, seed: UInt64) -> UInt64 {
    let first = block.loadInteger(0, as: UInt64.self)
    let covered = block.extracting(droppingFirst: BlockFormat.checkedFrom)
    // The library reads the borrowed bytes during the call only.
    return covered.withUnsafeBytes {
      XXH3_64bits_withSeed($0.baseAddress, $0.count, seed ^ first)
    }
  }

  static func verify(_ block: RawSpan, seed: UInt64) throws(RecordError) {
    guard block.loadInteger(offset, as: UInt64.self) == checksum(of: block, seed: seed) else {
      throw RecordError(
        .checksumMismatch, "the checksum of a block is wrong: it is damaged or in the wrong place")
    }
  }
}
