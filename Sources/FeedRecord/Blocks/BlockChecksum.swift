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
        .checksumMismatch,
        "the checksum of a block is wrong: it is damaged or at the wrong position")
    }
  }
}

/// The seed of a block's checksum. It encodes the block's position, so that a valid block in the
/// wrong position is detected.
package enum BlockSeed {
  /// XXH3-64 over the 20 little-endian bytes of environment id, segment and block number.
  package static func seed(environment: UInt64, segment: UInt64, number: UInt32) -> UInt64 {
    // Swift lays out these three without padding: 20 bytes.
    let position = (environment.littleEndian, segment.littleEndian, number.littleEndian)
    return withUnsafeBytes(of: position) { XXH3_64bits($0.baseAddress, $0.count) }
  }
}

/// The checksum of a stream of bytes: XXH3-64 with seed 0. The result equals `KeyHash.hash` of all
/// bytes at once.
package struct ContentChecksum: ~Copyable {
  /// Created by the library and freed only by this value, which cannot be copied.
  private let state: OpaquePointer

  /// Nil if the system refuses half a kilobyte.
  package init?() {
    guard let state = XXH3_createState() else { return nil }
    XXH3_64bits_reset(state)
    self.state = state
  }

  deinit { XXH3_freeState(state) }

  package mutating func add(_ bytes: RawSpan) {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { bytes in
      _ = XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }
  }

  package var value: UInt64 { XXH3_64bits_digest(state) }

  /// XXH3-64 of bytes with a seed.
  package static func checksum(of bytes: RawSpan, seed: UInt64) -> UInt64 {
    // The library reads the borrowed bytes during the call only.
    bytes.withUnsafeBytes { XXH3_64bits_withSeed($0.baseAddress, $0.count, seed) }
  }
}
